#!/bin/bash
#SBATCH --job-name=probsense
#SBATCH --array=1-4
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=4
#SBATCH --mem=64G
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --signal=B:TERM@120

source ~/venv/bin/activate
export HF_HOME=/scratch/$USER/huggingface PROBSENSE_DATA=/scratch/$USER/data
export HF_HUB_OFFLINE=1 PROBSENSE_OFFLINE=1

# The name of a store follows from its line, so that lines may move, and a task that comes again goes on.
ASKED="$(sed -n "${SLURM_ARRAY_TASK_ID}p" asked.txt)"
name="$(cksum <<< "$ASKED" | cut -d ' ' -f 1).db"
own="$(mktemp -d)"
mkdir -p stores
[ ! -f "stores/$name" ] || cp "stores/$name" "$own/$name"

# SQLite keeps the latest answers in a second file, which cp would miss. merge reads both.
keep() {
    [ ! -f "$own/$name" ] || {
        probsense merge "$own/copy.db" "$own/$name" &&
            cp "$own/copy.db" "stores/$name.new" && mv "stores/$name.new" "stores/$name"
    }
}

probsense run $ASKED --store "$own/$name" --quiet &
asking=$!
trap 'kill "$asking"' TERM
for ((i = 1; ; i++)); do
    sleep 10 &
    wait $!
    kill -0 "$asking" 2> /dev/null || break
    ((i % 60)) || keep
done
wait "$asking"
status=$?
if keep; then rm -r "$own"; else echo "$own on $(hostname) has the answers" >&2; status=1; fi
exit "$status"
