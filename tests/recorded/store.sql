BEGIN TRANSACTION;
CREATE TABLE failures (
    fingerprint TEXT NOT NULL REFERENCES models, key TEXT NOT NULL, reason TEXT NOT NULL, tries INTEGER NOT NULL,
    at TEXT NOT NULL
);
CREATE TABLE findings (
    run TEXT NOT NULL REFERENCES runs, at TEXT NOT NULL, examination INTEGER NOT NULL, name TEXT NOT NULL, ok INTEGER,
    detail TEXT NOT NULL, data TEXT NOT NULL
);
INSERT INTO "findings" VALUES('35e32c7df1a9525a126bbe9189529587','2026-01-02T18:56:05+00:00',1,'architecture',NULL,'llama, 1,150,080 parameters','{"family":"llama","parameters":1150080}');
CREATE TABLE items (
    digest TEXT PRIMARY KEY, body TEXT NOT NULL
);
INSERT INTO "items" VALUES('e239db7b01cbab30acf904d463bdc1c2','{"cluster":"everyday/likely/0","data":{"instructions":"These are remarks about everyday life. Each remark is followed by a question or a task, and then by the most sensible answer.\n\nRemark: The bus leaves in two minutes, and the stop is still three streets away.\nWhat would you do?\nrun\n","options":["It breaks into pieces.","It lies there unharmed."],"prompt":"everyday","test":"likely","text":"Remark: A glass falls from the table onto a stone floor.\nWhat happens next?"},"gold":"0","id":"everyday/likely/0"}');
INSERT INTO "items" VALUES('335a53c747bdbf84bee33123a66ba637','{"cluster":"everyday/likely/1","data":{"instructions":"These are remarks about everyday life. Each remark is followed by a question or a task, and then by the most sensible answer.\n\nRemark: The bus leaves in two minutes, and the stop is still three streets away.\nWhat would you do?\nrun\n","options":["It breaks into pieces.","It lies there unharmed."],"prompt":"everyday","test":"likely","text":"Remark: A pillow falls from the bed onto a carpet.\nWhat happens next?"},"gold":"1","id":"everyday/likely/1"}');
INSERT INTO "items" VALUES('a21452859a440cfdb383ace104447796','{"cluster":"everyday/likely/2","data":{"instructions":"These are remarks about everyday life. Each remark is followed by a question or a task, and then by the most sensible answer.\n\nRemark: The bus leaves in two minutes, and the stop is still three streets away.\nWhat would you do?\nrun\n","options":["It breaks into pieces.","It lies there unharmed."],"prompt":"everyday","test":"likely","text":"Remark: An egg rolls off the kitchen worktop.\nWhat happens next?"},"gold":"0","id":"everyday/likely/2"}');
INSERT INTO "items" VALUES('f3db3f1ca3b18ef0804e76f96b979ace','{"cluster":"everyday/places/0","data":{"instructions":"These are remarks about everyday life. Each remark is followed by a question or a task, and then by the most sensible answer.\n\nRemark: The bus leaves in two minutes, and the stop is still three streets away.\nWhat would you do?\nrun\n","options":["in the fridge","in the garage","in the bathroom","in the garden"],"prompt":"everyday","test":"places","text":"Remark:\nThe milk must not turn sour.\nWhere is the right place?"},"gold":"0","id":"everyday/places/0"}');
INSERT INTO "items" VALUES('a80c2262efe7b130ce3741ae8f418087','{"cluster":"everyday/places/1","data":{"instructions":"These are remarks about everyday life. Each remark is followed by a question or a task, and then by the most sensible answer.\n\nRemark: The bus leaves in two minutes, and the stop is still three streets away.\nWhat would you do?\nrun\n","options":["in the fridge","in the garage","in the bathroom","in the garden"],"prompt":"everyday","test":"places","text":"Remark:\nThe car needs a roof over it in winter.\nWhere is the right place?"},"gold":"1","id":"everyday/places/1"}');
INSERT INTO "items" VALUES('4ea76f553ceab20c02de69d8f474c737','{"cluster":"everyday/places/2","data":{"instructions":"These are remarks about everyday life. Each remark is followed by a question or a task, and then by the most sensible answer.\n\nRemark: The bus leaves in two minutes, and the stop is still three streets away.\nWhat would you do?\nrun\n","options":["in the fridge","in the garage","in the bathroom","in the garden"],"prompt":"everyday","test":"places","text":"Remark:\nThe toothbrushes should stand near a tap.\nWhere is the right place?"},"gold":"2","id":"everyday/places/2"}');
INSERT INTO "items" VALUES('25bfc4193a71b78d220129d19a04a188','{"cluster":"homework","data":{"options":["Lena","Ivo"],"sentence":"Ivo copied the homework from Lena before class, since _ had forgotten it."},"gold":"1","id":"homework-1"}');
INSERT INTO "items" VALUES('645205dd4646296654a00b31ebc62f66','{"cluster":"homework","data":{"options":["Lena","Ivo"],"sentence":"Ivo copied the homework from Lena before class, since _ had finished it."},"gold":"0","id":"homework-2"}');
INSERT INTO "items" VALUES('558ad52a799fcb670bc66aa28f5b1c81','{"cluster":"battery","data":{"options":["phone","tablet"],"sentence":"Olga charged her phone but not her tablet before the trip, because the battery of the _ was empty."},"gold":"0","id":"battery-1"}');
INSERT INTO "items" VALUES('f39e5a624203756920f6003dfbbae857','{"cluster":"battery","data":{"options":["phone","tablet"],"sentence":"Olga charged her phone but not her tablet before the trip, because the battery of the _ was full."},"gold":"1","id":"battery-2"}');
INSERT INTO "items" VALUES('7a1e5adbf7dc304885bcaeff0c757e26','{"cluster":"letters","data":{"options":["Dario","Elif"],"sentence":"Elif wrote to Dario every single week, but _ never stopped."},"gold":"1","id":"letters-1"}');
INSERT INTO "items" VALUES('88e3a52ac02cc3443732caa0246dbc32','{"cluster":"letters","data":{"options":["Dario","Elif"],"sentence":"Elif wrote to Dario every single week, but _ never replied."},"gold":"0","id":"letters-2"}');
INSERT INTO "items" VALUES('d64333309dd91927349ad9e286861740','{"cluster":"8","data":{"question":"q1","statement":"Cold mornings are more pleasant than hot afternoons.","statement_id":8},"gold":"","id":"8-q1"}');
INSERT INTO "items" VALUES('3685e739e8706b0031a9eccafbbc1735','{"cluster":"8","data":{"question":"q2","statement":"Cold mornings are more pleasant than hot afternoons.","statement_id":8},"gold":"","id":"8-q2"}');
INSERT INTO "items" VALUES('8e7c55a3307bd9a014898eb0512bcd44','{"cluster":"8","data":{"question":"q3","statement":"Cold mornings are more pleasant than hot afternoons.","statement_id":8},"gold":"","id":"8-q3"}');
INSERT INTO "items" VALUES('37be08c220639f76455183c8021ee724','{"cluster":"17","data":{"question":"q1","statement":"Money lent to a friend is as good as given away.","statement_id":17},"gold":"","id":"17-q1"}');
INSERT INTO "items" VALUES('37d0957e0e978aae24e99a84dcabe5a4','{"cluster":"17","data":{"question":"q2","statement":"Money lent to a friend is as good as given away.","statement_id":17},"gold":"","id":"17-q2"}');
INSERT INTO "items" VALUES('901618791d024cb38e575e97d5b541ee','{"cluster":"17","data":{"question":"q3","statement":"Money lent to a friend is as good as given away.","statement_id":17},"gold":"","id":"17-q3"}');
CREATE TABLE models (
    fingerprint TEXT PRIMARY KEY, name TEXT NOT NULL, details TEXT NOT NULL, by_item INTEGER NOT NULL
);
INSERT INTO "models" VALUES('67ac8f084732e8576d17834461fcfa02','random:1','{"scheme":"random","seed":1,"version":1}',0);
INSERT INTO "models" VALUES('dedcc46d379938226c128848cf23b45b','builtin:tiny','{"attention":"sdpa","backend":"hf","chat":false,"dtype":"float32","head":["<s>"],"prompt_format":"plain","scorer":"trie.stream","system_prompt":null,"template":null,"trust_remote_code":false,"versions":{"tokenizers":"0.23.3","torch":"2.13.0+cpu","transformers":"5.23.0"},"weights":"d382ffbe0c673c8ff04acaad580f6890db12639bb3acc525713c788107b42114"}',0);
CREATE TABLE plans (
    source TEXT PRIMARY KEY, run TEXT NOT NULL REFERENCES runs, items TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE responses (
    fingerprint TEXT NOT NULL REFERENCES models, key TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (fingerprint, key)
);
INSERT INTO "responses" VALUES('67ac8f084732e8576d17834461fcfa02','d89715cc11b6a7354dec2102b1c109ca','score','{"options":[{"option":{"logprobs":[-5.649387666942343e-06],"tokens":["It breaks into pieces."],"chars":22,"bytes":22},"suffix":{"logprobs":[],"tokens":[],"chars":0,"bytes":0},"straddles":false},{"option":{"logprobs":[-12.083966220904026],"tokens":["It lies there unharmed."],"chars":23,"bytes":23},"suffix":{"logprobs":[],"tokens":[],"chars":0,"bytes":0},"straddles":false}]}');
INSERT INTO "responses" VALUES('67ac8f084732e8576d17834461fcfa02','83c7bec97b5d16bbd6a0d54271aea1d9','score','{"options":[{"option":{"logprobs":[-2.255174952914674e-05],"tokens":["It breaks into pieces."],"chars":22,"bytes":22},"suffix":{"logprobs":[],"tokens":[],"chars":0,"bytes":0},"straddles":false},{"option":{"logprobs":[-10.69970918643758],"tokens":["It lies there unharmed."],"chars":23,"bytes":23},"suffix":{"logprobs":[],"tokens":[],"chars":0,"bytes":0},"straddles":false}]}');
INSERT INTO "responses" VALUES('67ac8f084732e8576d17834461fcfa02','fea707c1cd87573d68ca79cc07eee0dd','score','{"options":[{"option":{"logprobs":[-11.611028270417892],"tokens":["It breaks into pieces."],"chars":22,"bytes":22},"suffix":{"logprobs":[],"tokens":[],"chars":0,"bytes":0},"straddles":false},{"option":{"logprobs":[-9.065598093395228e-06],"tokens":["It lies there unharmed."],"chars":23,"bytes":23},"suffix":{"logprobs":[],"tokens":[],"chars":0,"bytes":0},"straddles":false}]}');
INSERT INTO "responses" VALUES('67ac8f084732e8576d17834461fcfa02','4de1bf10fbf478359c687645a270fb59','score','{"options":[{"option":{"logprobs":[-4.755329072259049e-05],"tokens":["in the fridge"],"chars":13,"bytes":13},"suffix":{"logprobs":[],"tokens":[],"chars":0,"bytes":0},"straddles":false},{"option":{"logprobs":[-10.677443124769601],"tokens":["in the garage"],"chars":13,"bytes":13},"suffix":{"logprobs":[],"tokens":[],"chars":0,"bytes":0},"straddles":false},{"option":{"logprobs":[-11.434648612773543],"tokens":["in the bathroom"],"chars":15,"bytes":15},"suffix":{"logprobs":[],"tokens":[],"chars":0,"bytes":0},"straddles":false},{"option":{"logprobs":[-11.199672159141661],"tokens":["in the garden"],"chars":13,"bytes":13},"suffix":{"logprobs":[],"tokens":[],"chars":0,"bytes":0},"straddles":false}]}');
INSERT INTO "responses" VALUES('67ac8f084732e8576d17834461fcfa02','174d235c66d1a83d59e8dc63060ca3ee','score','{"options":[{"option":{"logprobs":[-12.452663628305196],"tokens":["in the fridge"],"chars":13,"bytes":13},"suffix":{"logprobs":[],"tokens":[],"chars":0,"bytes":0},"straddles":false},{"option":{"logprobs":[-4.505764721901775e-05],"tokens":["in the garage"],"chars":13,"bytes":13},"suffix":{"logprobs":[],"tokens":[],"chars":0,"bytes":0},"straddles":false},{"option":{"logprobs":[-10.14917010053217],"tokens":["in the bathroom"],"chars":15,"bytes":15},"suffix":{"logprobs":[],"tokens":[],"chars":0,"bytes":0},"straddles":false},{"option":{"logprobs":[-13.102165490603896],"tokens":["in the garden"],"chars":13,"bytes":13},"suffix":{"logprobs":[],"tokens":[],"chars":0,"bytes":0},"straddles":false}]}');
INSERT INTO "responses" VALUES('67ac8f084732e8576d17834461fcfa02','74b05c9fecd7e7f316c16d03bdaa4160','score','{"options":[{"option":{"logprobs":[-12.821103744810474],"tokens":["in the fridge"],"chars":13,"bytes":13},"suffix":{"logprobs":[],"tokens":[],"chars":0,"bytes":0},"straddles":false},{"option":{"logprobs":[-10.25005608285911],"tokens":["in the garage"],"chars":13,"bytes":13},"suffix":{"logprobs":[],"tokens":[],"chars":0,"bytes":0},"straddles":false},{"option":{"logprobs":[-11.018119129311984],"tokens":["in the bathroom"],"chars":15,"bytes":15},"suffix":{"logprobs":[],"tokens":[],"chars":0,"bytes":0},"straddles":false},{"option":{"logprobs":[-5.4461927028316015e-05],"tokens":["in the garden"],"chars":13,"bytes":13},"suffix":{"logprobs":[],"tokens":[],"chars":0,"bytes":0},"straddles":false}]}');
INSERT INTO "responses" VALUES('67ac8f084732e8576d17834461fcfa02','cb9d7e58f17bfe7b9db4d0957dc6b2c7','score','{"options":[{"option":{"logprobs":[-9.650053954934737],"tokens":[" Lena"],"chars":5,"bytes":5},"suffix":{"logprobs":[-8.814834344678534],"tokens":[" had forgotten it."],"chars":18,"bytes":18},"straddles":false},{"option":{"logprobs":[-6.44241662428984e-05],"tokens":[" Ivo"],"chars":4,"bytes":4},"suffix":{"logprobs":[-0.00014852458122178736],"tokens":[" had forgotten it."],"chars":18,"bytes":18},"straddles":false}]}');
INSERT INTO "responses" VALUES('67ac8f084732e8576d17834461fcfa02','523de0791f0acbd80ea819f7264f6ae2','score','{"options":[{"option":{"logprobs":[-11.833255128398648],"tokens":[" Lena"],"chars":5,"bytes":5},"suffix":{"logprobs":[-11.42160052063079],"tokens":[" had finished it."],"chars":17,"bytes":17},"straddles":false},{"option":{"logprobs":[-7.259123264836076e-06],"tokens":[" Ivo"],"chars":4,"bytes":4},"suffix":{"logprobs":[-1.095630966566388e-05],"tokens":[" had finished it."],"chars":17,"bytes":17},"straddles":false}]}');
INSERT INTO "responses" VALUES('67ac8f084732e8576d17834461fcfa02','8ad759eb525c7bf9a345504451716bda','score','{"options":[{"option":{"logprobs":[-1.236894002656464e-05],"tokens":[" phone"],"chars":6,"bytes":6},"suffix":{"logprobs":[-9.245369187652775],"tokens":[" was empty."],"chars":11,"bytes":11},"straddles":false},{"option":{"logprobs":[-11.300328248735886],"tokens":[" tablet"],"chars":7,"bytes":7},"suffix":{"logprobs":[-9.656242120904201e-05],"tokens":[" was empty."],"chars":11,"bytes":11},"straddles":false}]}');
INSERT INTO "responses" VALUES('67ac8f084732e8576d17834461fcfa02','c7bfb7fcf150e19205b82ea02b5f513b','score','{"options":[{"option":{"logprobs":[-9.538424182439305],"tokens":[" phone"],"chars":6,"bytes":6},"suffix":{"logprobs":[-8.75660023010325],"tokens":[" was full."],"chars":10,"bytes":10},"straddles":false},{"option":{"logprobs":[-7.203285913179701e-05],"tokens":[" tablet"],"chars":7,"bytes":7},"suffix":{"logprobs":[-0.00015743127950832244],"tokens":[" was full."],"chars":10,"bytes":10},"straddles":false}]}');
INSERT INTO "responses" VALUES('67ac8f084732e8576d17834461fcfa02','f9b16de24f42917ac5748d4b8b0e12b8','score','{"options":[{"option":{"logprobs":[-0.0001651561637181498],"tokens":[" Dario"],"chars":6,"bytes":6},"suffix":{"logprobs":[-10.01152775919985],"tokens":[" never stopped."],"chars":15,"bytes":15},"straddles":false},{"option":{"logprobs":[-8.708701661830718],"tokens":[" Elif"],"chars":5,"bytes":5},"suffix":{"logprobs":[-4.488058244552603e-05],"tokens":[" never stopped."],"chars":15,"bytes":15},"straddles":false}]}');
INSERT INTO "responses" VALUES('67ac8f084732e8576d17834461fcfa02','35b0a27c9971dd28361e4a2d514d6a1c','score','{"options":[{"option":{"logprobs":[-3.16327566913622e-06],"tokens":[" Dario"],"chars":6,"bytes":6},"suffix":{"logprobs":[-8.989040444593478],"tokens":[" never replied."],"chars":15,"bytes":15},"straddles":false},{"option":{"logprobs":[-12.663904044748923],"tokens":[" Elif"],"chars":5,"bytes":5},"suffix":{"logprobs":[-0.00012477754370632824],"tokens":[" never replied."],"chars":15,"bytes":15},"straddles":false}]}');
INSERT INTO "responses" VALUES('dedcc46d379938226c128848cf23b45b','3c74859c213aa48ef585619d1ca408e7','labels','{"mass":{"yes":1.0176797620167132e-09,"no":0.00011854527004974396},"other":0.9998814537122704,"source":"exact","note":"labels spelled out in several tokens, as no single one stands for each"}');
INSERT INTO "responses" VALUES('dedcc46d379938226c128848cf23b45b','b91ee30f2d1b840cdfc0492cd3ed9903','labels','{"mass":{"yes":1.2944463512528026e-09,"no":0.00014713557652198717},"other":0.9998528631290317,"source":"exact","note":"labels spelled out in several tokens, as no single one stands for each"}');
INSERT INTO "responses" VALUES('dedcc46d379938226c128848cf23b45b','25273ff973fc61bf31711fb22a19e660','labels','{"mass":{"yes":6.999450284975642e-10,"no":6.089330916953346e-05},"other":0.9999391059908854,"source":"exact","note":"labels spelled out in several tokens, as no single one stands for each"}');
INSERT INTO "responses" VALUES('dedcc46d379938226c128848cf23b45b','589d17e3a133d517287168e2fa4fd6c3','labels','{"mass":{"yes":3.9185832113477754e-10,"no":0.0002798395890473256},"other":0.9997201600190944,"source":"exact","note":"labels spelled out in several tokens, as no single one stands for each"}');
INSERT INTO "responses" VALUES('dedcc46d379938226c128848cf23b45b','9307ffbc65c135ed7dd5980ef2d023ae','labels','{"mass":{"yes":4.173285378640688e-10,"no":0.0003139779811593027},"other":0.9996860216015122,"source":"exact","note":"labels spelled out in several tokens, as no single one stands for each"}');
INSERT INTO "responses" VALUES('dedcc46d379938226c128848cf23b45b','fff8c1ff0a0353a1d44df7de9c3352bd','labels','{"mass":{"yes":2.565773219538857e-10,"no":0.00023823456720147587},"other":0.9997617651762212,"source":"exact","note":"labels spelled out in several tokens, as no single one stands for each"}');
CREATE TABLE run_items (
    run TEXT NOT NULL REFERENCES runs, position INTEGER NOT NULL, item TEXT NOT NULL REFERENCES items,
    PRIMARY KEY (run, position)
) WITHOUT ROWID;
INSERT INTO "run_items" VALUES('35e32c7df1a9525a126bbe9189529587',0,'d64333309dd91927349ad9e286861740');
INSERT INTO "run_items" VALUES('35e32c7df1a9525a126bbe9189529587',1,'3685e739e8706b0031a9eccafbbc1735');
INSERT INTO "run_items" VALUES('35e32c7df1a9525a126bbe9189529587',2,'8e7c55a3307bd9a014898eb0512bcd44');
INSERT INTO "run_items" VALUES('35e32c7df1a9525a126bbe9189529587',3,'37be08c220639f76455183c8021ee724');
INSERT INTO "run_items" VALUES('35e32c7df1a9525a126bbe9189529587',4,'37d0957e0e978aae24e99a84dcabe5a4');
INSERT INTO "run_items" VALUES('35e32c7df1a9525a126bbe9189529587',5,'901618791d024cb38e575e97d5b541ee');
INSERT INTO "run_items" VALUES('55cb78557cdad24c7a1b200b525102bb',0,'25bfc4193a71b78d220129d19a04a188');
INSERT INTO "run_items" VALUES('55cb78557cdad24c7a1b200b525102bb',1,'645205dd4646296654a00b31ebc62f66');
INSERT INTO "run_items" VALUES('55cb78557cdad24c7a1b200b525102bb',2,'558ad52a799fcb670bc66aa28f5b1c81');
INSERT INTO "run_items" VALUES('55cb78557cdad24c7a1b200b525102bb',3,'f39e5a624203756920f6003dfbbae857');
INSERT INTO "run_items" VALUES('55cb78557cdad24c7a1b200b525102bb',4,'7a1e5adbf7dc304885bcaeff0c757e26');
INSERT INTO "run_items" VALUES('55cb78557cdad24c7a1b200b525102bb',5,'88e3a52ac02cc3443732caa0246dbc32');
INSERT INTO "run_items" VALUES('83c1abe68e448eb0ca447ec2904b2da5',0,'e239db7b01cbab30acf904d463bdc1c2');
INSERT INTO "run_items" VALUES('83c1abe68e448eb0ca447ec2904b2da5',1,'335a53c747bdbf84bee33123a66ba637');
INSERT INTO "run_items" VALUES('83c1abe68e448eb0ca447ec2904b2da5',2,'a21452859a440cfdb383ace104447796');
INSERT INTO "run_items" VALUES('83c1abe68e448eb0ca447ec2904b2da5',3,'f3db3f1ca3b18ef0804e76f96b979ace');
INSERT INTO "run_items" VALUES('83c1abe68e448eb0ca447ec2904b2da5',4,'a80c2262efe7b130ce3741ae8f418087');
INSERT INTO "run_items" VALUES('83c1abe68e448eb0ca447ec2904b2da5',5,'4ea76f553ceab20c02de69d8f474c737');
CREATE TABLE runs (
    id TEXT PRIMARY KEY, task TEXT NOT NULL, version INTEGER NOT NULL, options TEXT NOT NULL,
    method TEXT NOT NULL, seed INTEGER NOT NULL, fingerprint TEXT NOT NULL REFERENCES models,
    versions TEXT NOT NULL, started TEXT NOT NULL, finished TEXT, name TEXT
);
INSERT INTO "runs" VALUES('83c1abe68e448eb0ca447ec2904b2da5','suite',1,'{"input_dir":"inputs","limit":6,"neutral":null,"norm":false,"prompt":null,"rule":null,"seed":0,"temp":1.0,"test":null}','options',0,'67ac8f084732e8576d17834461fcfa02','{"numpy":"2.4.6","polars":"2.1.0","probsense":"0.1.0","python":"3.11.7"}','2026-01-02T18:55:10+00:00','2026-01-02T18:55:10+00:00',NULL);
INSERT INTO "runs" VALUES('55cb78557cdad24c7a1b200b525102bb','winogrande',1,'{"data":null,"limit":6,"neutral":null,"rule":"partial","seed":0}','options',0,'67ac8f084732e8576d17834461fcfa02','{"numpy":"2.4.6","polars":"2.1.0","probsense":"0.1.0","python":"3.11.7"}','2026-01-02T18:55:10+00:00','2026-01-02T18:55:10+00:00',NULL);
INSERT INTO "runs" VALUES('35e32c7df1a9525a126bbe9189529587','judgments',1,'{"data":null,"demographics":null,"humans":[],"limit":6,"majority":null,"max_samples":null,"other":"split","persona":null,"pooled":null,"precision":null,"questions":["q1","q2","q3"],"seed":0,"trials":25,"variants":null,"vary":null,"wording":null}','labels',0,'dedcc46d379938226c128848cf23b45b','{"numpy":"2.4.6","polars":"2.1.0","probsense":"0.1.0","python":"3.11.7"}','2026-01-02T18:56:05+00:00','2026-01-02T18:56:06+00:00',NULL);
CREATE TABLE usage (
    run TEXT NOT NULL REFERENCES runs, tokens INTEGER NOT NULL, naive INTEGER NOT NULL,
    truncated INTEGER NOT NULL, seconds REAL NOT NULL, requests INTEGER NOT NULL, written INTEGER NOT NULL,
    cost REAL NOT NULL
);
INSERT INTO "usage" VALUES('35e32c7df1a9525a126bbe9189529587',334,5424,0,7.72643746999847280676e-01,0,0,0.0);
CREATE TABLE windows (
    run TEXT NOT NULL REFERENCES runs, start INTEGER NOT NULL, stop INTEGER NOT NULL, requests INTEGER NOT NULL,
    served TEXT NOT NULL, PRIMARY KEY (run, start)
) WITHOUT ROWID;
CREATE INDEX failures_of ON failures (fingerprint, key);
CREATE UNIQUE INDEX runs_by_name ON runs (name, task, method);
CREATE INDEX findings_of ON findings (run);
COMMIT;
PRAGMA application_id=1347568211;
PRAGMA user_version=5;
