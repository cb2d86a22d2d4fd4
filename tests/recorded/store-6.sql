BEGIN TRANSACTION;
CREATE TABLE failures (
    fingerprint TEXT NOT NULL REFERENCES models, key TEXT NOT NULL, reason TEXT NOT NULL, tries INTEGER NOT NULL,
    at TEXT NOT NULL
);
CREATE TABLE findings (
    run TEXT NOT NULL REFERENCES runs, at TEXT NOT NULL, examination INTEGER NOT NULL, name TEXT NOT NULL, ok INTEGER,
    detail TEXT NOT NULL, data TEXT NOT NULL
);
INSERT INTO "findings" VALUES('f093846407f9b8cff61e98e7695f2def','2026-11-24T16:32:22+00:00',1,'architecture',NULL,'llama, 1,150,080 parameters','{"family":"llama","parameters":1150080}');
CREATE TABLE items (
    digest TEXT PRIMARY KEY, body TEXT NOT NULL
);
INSERT INTO "items" VALUES('25bfc4193a71b78d220129d19a04a188','{"cluster":"homework","data":{"options":["Lena","Ivo"],"sentence":"Ivo copied the homework from Lena before class, since _ had forgotten it."},"gold":"1","id":"homework-1"}');
INSERT INTO "items" VALUES('645205dd4646296654a00b31ebc62f66','{"cluster":"homework","data":{"options":["Lena","Ivo"],"sentence":"Ivo copied the homework from Lena before class, since _ had finished it."},"gold":"0","id":"homework-2"}');
INSERT INTO "items" VALUES('558ad52a799fcb670bc66aa28f5b1c81','{"cluster":"battery","data":{"options":["phone","tablet"],"sentence":"Olga charged her phone but not her tablet before the trip, because the battery of the _ was empty."},"gold":"0","id":"battery-1"}');
INSERT INTO "items" VALUES('f39e5a624203756920f6003dfbbae857','{"cluster":"battery","data":{"options":["phone","tablet"],"sentence":"Olga charged her phone but not her tablet before the trip, because the battery of the _ was full."},"gold":"1","id":"battery-2"}');
INSERT INTO "items" VALUES('7a1e5adbf7dc304885bcaeff0c757e26','{"cluster":"letters","data":{"options":["Dario","Elif"],"sentence":"Elif wrote to Dario every single week, but _ never stopped."},"gold":"1","id":"letters-1"}');
INSERT INTO "items" VALUES('88e3a52ac02cc3443732caa0246dbc32','{"cluster":"letters","data":{"options":["Dario","Elif"],"sentence":"Elif wrote to Dario every single week, but _ never replied."},"gold":"0","id":"letters-2"}');
CREATE TABLE models (
    fingerprint TEXT PRIMARY KEY, name TEXT NOT NULL, details TEXT NOT NULL, by_item INTEGER NOT NULL
);
INSERT INTO "models" VALUES('67ac8f084732e8576d17834461fcfa02','random:1','{"scheme":"random","seed":1,"version":1}',0);
INSERT INTO "models" VALUES('dedcc46d379938226c128848cf23b45b','builtin:tiny','{"attention":"sdpa","backend":"hf","chat":false,"dtype":"float32","head":["<s>"],"prompt_format":"plain","scorer":"trie.stream","system_prompt":null,"template":null,"trust_remote_code":false,"versions":{"tokenizers":"0.23.3","torch":"2.13.0+cpu","transformers":"5.23.0"},"weights":"d382ffbe0c673c8ff04acaad580f6890db12639bb3acc525713c788107b42114"}',0);
CREATE TABLE responses (
    fingerprint TEXT NOT NULL REFERENCES models, key TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (fingerprint, key)
);
INSERT INTO "responses" VALUES('67ac8f084732e8576d17834461fcfa02','cb9d7e58f17bfe7b9db4d0957dc6b2c7','score','{"options":[{"option":{"logprobs":[-9.650053954934737],"tokens":[" Lena"],"chars":5,"bytes":5},"suffix":{"logprobs":[-8.814834344678534],"tokens":[" had forgotten it."],"chars":18,"bytes":18},"straddles":false},{"option":{"logprobs":[-6.44241662428984e-05],"tokens":[" Ivo"],"chars":4,"bytes":4},"suffix":{"logprobs":[-0.00014852458122178736],"tokens":[" had forgotten it."],"chars":18,"bytes":18},"straddles":false}]}');
INSERT INTO "responses" VALUES('67ac8f084732e8576d17834461fcfa02','523de0791f0acbd80ea819f7264f6ae2','score','{"options":[{"option":{"logprobs":[-11.833255128398648],"tokens":[" Lena"],"chars":5,"bytes":5},"suffix":{"logprobs":[-11.42160052063079],"tokens":[" had finished it."],"chars":17,"bytes":17},"straddles":false},{"option":{"logprobs":[-7.259123264836075e-06],"tokens":[" Ivo"],"chars":4,"bytes":4},"suffix":{"logprobs":[-1.095630966566388e-05],"tokens":[" had finished it."],"chars":17,"bytes":17},"straddles":false}]}');
INSERT INTO "responses" VALUES('67ac8f084732e8576d17834461fcfa02','8ad759eb525c7bf9a345504451716bda','score','{"options":[{"option":{"logprobs":[-1.236894002656464e-05],"tokens":[" phone"],"chars":6,"bytes":6},"suffix":{"logprobs":[-9.245369187652775],"tokens":[" was empty."],"chars":11,"bytes":11},"straddles":false},{"option":{"logprobs":[-11.300328248735886],"tokens":[" tablet"],"chars":7,"bytes":7},"suffix":{"logprobs":[-9.656242120904201e-05],"tokens":[" was empty."],"chars":11,"bytes":11},"straddles":false}]}');
INSERT INTO "responses" VALUES('67ac8f084732e8576d17834461fcfa02','c7bfb7fcf150e19205b82ea02b5f513b','score','{"options":[{"option":{"logprobs":[-9.538424182439305],"tokens":[" phone"],"chars":6,"bytes":6},"suffix":{"logprobs":[-8.75660023010325],"tokens":[" was full."],"chars":10,"bytes":10},"straddles":false},{"option":{"logprobs":[-7.2032859131797e-05],"tokens":[" tablet"],"chars":7,"bytes":7},"suffix":{"logprobs":[-0.00015743127950832244],"tokens":[" was full."],"chars":10,"bytes":10},"straddles":false}]}');
INSERT INTO "responses" VALUES('67ac8f084732e8576d17834461fcfa02','f9b16de24f42917ac5748d4b8b0e12b8','score','{"options":[{"option":{"logprobs":[-0.0001651561637181498],"tokens":[" Dario"],"chars":6,"bytes":6},"suffix":{"logprobs":[-10.01152775919985],"tokens":[" never stopped."],"chars":15,"bytes":15},"straddles":false},{"option":{"logprobs":[-8.708701661830718],"tokens":[" Elif"],"chars":5,"bytes":5},"suffix":{"logprobs":[-4.488058244552603e-05],"tokens":[" never stopped."],"chars":15,"bytes":15},"straddles":false}]}');
INSERT INTO "responses" VALUES('67ac8f084732e8576d17834461fcfa02','35b0a27c9971dd28361e4a2d514d6a1c','score','{"options":[{"option":{"logprobs":[-3.16327566913622e-06],"tokens":[" Dario"],"chars":6,"bytes":6},"suffix":{"logprobs":[-8.989040444593478],"tokens":[" never replied."],"chars":15,"bytes":15},"straddles":false},{"option":{"logprobs":[-12.663904044748923],"tokens":[" Elif"],"chars":5,"bytes":5},"suffix":{"logprobs":[-0.00012477754370632824],"tokens":[" never replied."],"chars":15,"bytes":15},"straddles":false}]}');
INSERT INTO "responses" VALUES('dedcc46d379938226c128848cf23b45b','f9b16de24f42917ac5748d4b8b0e12b8','score','{"options":[{"option":{"logprobs":[-10.064655303955078,-13.001022338867188],"tokens":["ĠDar","io"],"chars":6,"bytes":6},"suffix":{"logprobs":[-7.064363479614258,-5.664305686950684,-10.130949974060059,-6.953240871429443,-9.974388122558594,-10.380141258239746,-6.868808269500732],"tokens":["Ġn","e","ver","Ġst","op","ped","."],"chars":15,"bytes":15},"straddles":false},{"option":{"logprobs":[-13.251877784729004,-5.985397815704346,-7.643949031829834,-6.359140872955322],"tokens":["ĠE","l","i","f"],"chars":5,"bytes":5},"suffix":{"logprobs":[-10.806777954101562,-5.914380073547363,-9.666772842407227,-8.130298614501953,-9.993038177490234,-10.615429878234863,-6.37031888961792],"tokens":["Ġn","e","ver","Ġst","op","ped","."],"chars":15,"bytes":15},"straddles":false}]}');
INSERT INTO "responses" VALUES('dedcc46d379938226c128848cf23b45b','35b0a27c9971dd28361e4a2d514d6a1c','score','{"options":[{"option":{"logprobs":[-10.064655303955078,-13.001022338867188],"tokens":["ĠDar","io"],"chars":6,"bytes":6},"suffix":{"logprobs":[-7.064363479614258,-5.664305686950684,-10.130949974060059,-6.737142562866211,-9.508091926574707,-6.675052165985107,-8.71448802947998,-6.512443542480469],"tokens":["Ġn","e","ver","Ġre","pl","i","ed","."],"chars":15,"bytes":15},"straddles":false},{"option":{"logprobs":[-13.251877784729004,-5.985397815704346,-7.643949031829834,-6.359140872955322],"tokens":["ĠE","l","i","f"],"chars":5,"bytes":5},"suffix":{"logprobs":[-10.806777954101562,-5.914380073547363,-9.666772842407227,-8.163148880004883,-9.69460678100586,-6.813492298126221,-9.347899436950684,-5.42079496383667],"tokens":["Ġn","e","ver","Ġre","pl","i","ed","."],"chars":15,"bytes":15},"straddles":false}]}');
INSERT INTO "responses" VALUES('dedcc46d379938226c128848cf23b45b','8ad759eb525c7bf9a345504451716bda','score','{"options":[{"option":{"logprobs":[-3.731168746948242,-10.132476806640625,-14.51446533203125],"tokens":["Ġp","h","one"],"chars":6,"bytes":6},"suffix":{"logprobs":[-7.404831409454346,-3.908024311065674,-5.178863525390625,-4.26840353012085,-10.30584716796875,-10.222921371459961,-3.485349178314209],"tokens":["Ġwas","Ġ","em","p","t","y","."],"chars":11,"bytes":11},"straddles":false},{"option":{"logprobs":[-2.6225290298461914,-10.930632591247559,-4.588426113128662,-5.090503692626953],"tokens":["Ġt","ab","l","et"],"chars":7,"bytes":7},"suffix":{"logprobs":[-7.165353775024414,-3.9672622680664062,-5.308910369873047,-4.447515487670898,-10.283822059631348,-10.095549583435059,-3.5778560638427734],"tokens":["Ġwas","Ġ","em","p","t","y","."],"chars":11,"bytes":11},"straddles":false}]}');
INSERT INTO "responses" VALUES('dedcc46d379938226c128848cf23b45b','c7bfb7fcf150e19205b82ea02b5f513b','score','{"options":[{"option":{"logprobs":[-3.731168746948242,-10.132476806640625,-14.51446533203125],"tokens":["Ġp","h","one"],"chars":6,"bytes":6},"suffix":{"logprobs":[-7.404831409454346,-5.534224510192871,-4.707798004150391,-4.250710964202881,-10.731407165527344],"tokens":["Ġwas","Ġf","ul","l","."],"chars":10,"bytes":10},"straddles":false},{"option":{"logprobs":[-2.6225290298461914,-10.930632591247559,-4.588426113128662,-5.090503692626953],"tokens":["Ġt","ab","l","et"],"chars":7,"bytes":7},"suffix":{"logprobs":[-7.165353775024414,-5.315932750701904,-4.654397010803223,-4.576558589935303,-11.230366706848145],"tokens":["Ġwas","Ġf","ul","l","."],"chars":10,"bytes":10},"straddles":false}]}');
CREATE TABLE results (
    run TEXT PRIMARY KEY REFERENCES runs, key TEXT NOT NULL, body TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO "results" VALUES('55cb78557cdad24c7a1b200b525102bb','5aa7bb547429107c90b56ec96c077a17','{}');
INSERT INTO "results" VALUES('f093846407f9b8cff61e98e7695f2def','c5871df4487ab3b7db219a985b20e1a4','{}');
CREATE TABLE run_items (
    run TEXT NOT NULL REFERENCES runs, position INTEGER NOT NULL, item TEXT NOT NULL REFERENCES items,
    PRIMARY KEY (run, position)
) WITHOUT ROWID;
INSERT INTO "run_items" VALUES('55cb78557cdad24c7a1b200b525102bb',0,'25bfc4193a71b78d220129d19a04a188');
INSERT INTO "run_items" VALUES('55cb78557cdad24c7a1b200b525102bb',1,'645205dd4646296654a00b31ebc62f66');
INSERT INTO "run_items" VALUES('55cb78557cdad24c7a1b200b525102bb',2,'558ad52a799fcb670bc66aa28f5b1c81');
INSERT INTO "run_items" VALUES('55cb78557cdad24c7a1b200b525102bb',3,'f39e5a624203756920f6003dfbbae857');
INSERT INTO "run_items" VALUES('55cb78557cdad24c7a1b200b525102bb',4,'7a1e5adbf7dc304885bcaeff0c757e26');
INSERT INTO "run_items" VALUES('55cb78557cdad24c7a1b200b525102bb',5,'88e3a52ac02cc3443732caa0246dbc32');
INSERT INTO "run_items" VALUES('f093846407f9b8cff61e98e7695f2def',0,'558ad52a799fcb670bc66aa28f5b1c81');
INSERT INTO "run_items" VALUES('f093846407f9b8cff61e98e7695f2def',1,'f39e5a624203756920f6003dfbbae857');
INSERT INTO "run_items" VALUES('f093846407f9b8cff61e98e7695f2def',2,'7a1e5adbf7dc304885bcaeff0c757e26');
INSERT INTO "run_items" VALUES('f093846407f9b8cff61e98e7695f2def',3,'88e3a52ac02cc3443732caa0246dbc32');
CREATE TABLE runs (
    id TEXT PRIMARY KEY, task TEXT NOT NULL, version INTEGER NOT NULL, options TEXT NOT NULL,
    method TEXT NOT NULL, seed INTEGER NOT NULL, fingerprint TEXT NOT NULL REFERENCES models,
    versions TEXT NOT NULL, started TEXT NOT NULL, finished TEXT, name TEXT
);
INSERT INTO "runs" VALUES('55cb78557cdad24c7a1b200b525102bb','winogrande',1,'{"data":null,"limit":6,"neutral":null,"rule":"partial","seed":0}','options',0,'67ac8f084732e8576d17834461fcfa02','{"numpy":"2.4.6","polars":"2.1.0","probsense":"0.1.0","python":"3.11.7"}','2026-11-24T16:31:45+00:00','2026-11-24T16:31:45+00:00',NULL);
INSERT INTO "runs" VALUES('f093846407f9b8cff61e98e7695f2def','winogrande',1,'{"data":null,"limit":4,"neutral":null,"rule":"partial","seed":0}','options',0,'dedcc46d379938226c128848cf23b45b','{"numpy":"2.4.6","polars":"2.1.0","probsense":"0.1.0","python":"3.11.7"}','2026-11-24T16:32:22+00:00','2026-11-24T16:32:22+00:00','small');
CREATE TABLE usage (
    run TEXT NOT NULL REFERENCES runs, tokens INTEGER NOT NULL, naive INTEGER NOT NULL,
    truncated INTEGER NOT NULL, seconds REAL NOT NULL, requests INTEGER NOT NULL, written INTEGER NOT NULL,
    cost REAL NOT NULL
);
INSERT INTO "usage" VALUES('f093846407f9b8cff61e98e7695f2def',113,324,0,4.56469949931488372385e-02,0,0,0.0);
CREATE INDEX failures_of ON failures (fingerprint, key);
CREATE UNIQUE INDEX runs_by_name ON runs (name, task, method);
CREATE INDEX findings_of ON findings (run);
COMMIT;
PRAGMA application_id=1347568211;
PRAGMA user_version=6;
