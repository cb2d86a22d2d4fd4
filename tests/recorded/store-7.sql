BEGIN TRANSACTION;
CREATE TABLE failures (
    fingerprint TEXT NOT NULL REFERENCES models, key TEXT NOT NULL, reason TEXT NOT NULL, tries INTEGER NOT NULL,
    at TEXT NOT NULL
);
CREATE TABLE findings (
    run TEXT NOT NULL REFERENCES runs, at TEXT NOT NULL, examination INTEGER NOT NULL, name TEXT NOT NULL, ok INTEGER,
    detail TEXT NOT NULL, data TEXT NOT NULL
);
INSERT INTO "findings" VALUES('7b991c46e6adb0cdaede703a60eaf34a','2026-11-24T17:37:54+00:00',1,'architecture',NULL,'llama, 1,150,080 parameters','{"family":"llama","parameters":1150080}');
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
INSERT INTO "models" VALUES('7614c9e5e36932a3472a0901bd3f5763','builtin:tiny','{"attention":"sdpa","backend":"hf","chat":false,"dtype":"float32","head":["<s>"],"labels":"past openings","products":"onednn","prompt_format":"plain","scorer":"trie.stream","system_prompt":null,"template":null,"trust_remote_code":false,"versions":{"tokenizers":"0.23.3","torch":"2.13.0+cpu","transformers":"5.23.0"},"weights":"d382ffbe0c673c8ff04acaad580f6890db12639bb3acc525713c788107b42114"}',0);
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
INSERT INTO "responses" VALUES('7614c9e5e36932a3472a0901bd3f5763','f9b16de24f42917ac5748d4b8b0e12b8','score','{"options":[{"option":{"logprobs":[-10.064657211303711,-13.001028060913086],"tokens":["ĠDar","io"],"chars":6,"bytes":6},"suffix":{"logprobs":[-7.064358711242676,-5.664306640625,-10.130949020385742,-6.953240394592285,-9.974386215209961,-10.38014030456543,-6.86881160736084],"tokens":["Ġn","e","ver","Ġst","op","ped","."],"chars":15,"bytes":15},"straddles":false},{"option":{"logprobs":[-13.251884460449219,-5.9853973388671875,-7.643948078155518,-6.3591413497924805],"tokens":["ĠE","l","i","f"],"chars":5,"bytes":5},"suffix":{"logprobs":[-10.806777954101562,-5.914380073547363,-9.666773796081543,-8.130297660827637,-9.993041038513184,-10.615429878234863,-6.370321750640869],"tokens":["Ġn","e","ver","Ġst","op","ped","."],"chars":15,"bytes":15},"straddles":false}]}');
INSERT INTO "responses" VALUES('7614c9e5e36932a3472a0901bd3f5763','35b0a27c9971dd28361e4a2d514d6a1c','score','{"options":[{"option":{"logprobs":[-10.064657211303711,-13.001028060913086],"tokens":["ĠDar","io"],"chars":6,"bytes":6},"suffix":{"logprobs":[-7.064358711242676,-5.664306640625,-10.130949020385742,-6.737142562866211,-9.50809097290039,-6.675055027008057,-8.714489936828613,-6.512445449829102],"tokens":["Ġn","e","ver","Ġre","pl","i","ed","."],"chars":15,"bytes":15},"straddles":false},{"option":{"logprobs":[-13.251884460449219,-5.9853973388671875,-7.643948078155518,-6.3591413497924805],"tokens":["ĠE","l","i","f"],"chars":5,"bytes":5},"suffix":{"logprobs":[-10.806777954101562,-5.914380073547363,-9.666773796081543,-8.163147926330566,-9.694608688354492,-6.813492774963379,-9.347899436950684,-5.4207963943481445],"tokens":["Ġn","e","ver","Ġre","pl","i","ed","."],"chars":15,"bytes":15},"straddles":false}]}');
INSERT INTO "responses" VALUES('7614c9e5e36932a3472a0901bd3f5763','523de0791f0acbd80ea819f7264f6ae2','score','{"options":[{"option":{"logprobs":[-11.116850852966309,-9.451754570007324],"tokens":["ĠLen","a"],"chars":5,"bytes":5},"suffix":{"logprobs":[-7.540496349334717,-4.884249687194824,-6.655479431152344,-4.990703582763672,-7.791743278503418,-5.270414352416992,-7.558145046234131,-9.649542808532715],"tokens":["Ġh","ad","Ġf","in","ish","ed","Ġit","."],"chars":17,"bytes":17},"straddles":false},{"option":{"logprobs":[-15.482976913452148,-5.862306594848633,-8.202696800231934],"tokens":["ĠI","v","o"],"chars":4,"bytes":4},"suffix":{"logprobs":[-9.974614143371582,-5.054741859436035,-7.710801601409912,-4.962883949279785,-7.667575836181641,-5.788046836853027,-8.016403198242188,-10.103104591369629],"tokens":["Ġh","ad","Ġf","in","ish","ed","Ġit","."],"chars":17,"bytes":17},"straddles":false}]}');
INSERT INTO "responses" VALUES('7614c9e5e36932a3472a0901bd3f5763','cb9d7e58f17bfe7b9db4d0957dc6b2c7','score','{"options":[{"option":{"logprobs":[-11.116850852966309,-9.451754570007324],"tokens":["ĠLen","a"],"chars":5,"bytes":5},"suffix":{"logprobs":[-7.540496349334717,-4.884249687194824,-8.75248908996582,-7.3488006591796875,-8.972354888916016,-4.42668342590332,-6.183349609375,-9.214241027832031],"tokens":["Ġh","ad","Ġfor","g","ott","en","Ġit","."],"chars":18,"bytes":18},"straddles":false},{"option":{"logprobs":[-15.482976913452148,-5.862306594848633,-8.202696800231934],"tokens":["ĠI","v","o"],"chars":4,"bytes":4},"suffix":{"logprobs":[-9.974614143371582,-5.054741859436035,-9.78253173828125,-5.487729549407959,-9.041865348815918,-4.317934989929199,-6.595467567443848,-10.128477096557617],"tokens":["Ġh","ad","Ġfor","g","ott","en","Ġit","."],"chars":18,"bytes":18},"straddles":false}]}');
INSERT INTO "responses" VALUES('7614c9e5e36932a3472a0901bd3f5763','8ad759eb525c7bf9a345504451716bda','score','{"options":[{"option":{"logprobs":[-3.731170654296875,-10.132476806640625,-14.51446533203125],"tokens":["Ġp","h","one"],"chars":6,"bytes":6},"suffix":{"logprobs":[-7.404834747314453,-3.9080252647399902,-5.178861618041992,-4.268402576446533,-10.305848121643066,-10.222925186157227,-3.485348701477051],"tokens":["Ġwas","Ġ","em","p","t","y","."],"chars":11,"bytes":11},"straddles":false},{"option":{"logprobs":[-2.6225271224975586,-10.930630683898926,-4.588424205780029,-5.0905022621154785],"tokens":["Ġt","ab","l","et"],"chars":7,"bytes":7},"suffix":{"logprobs":[-7.165358543395996,-3.9672622680664062,-5.308910369873047,-4.447516918182373,-10.283822059631348,-10.095550537109375,-3.5778560638427734],"tokens":["Ġwas","Ġ","em","p","t","y","."],"chars":11,"bytes":11},"straddles":false}]}');
INSERT INTO "responses" VALUES('7614c9e5e36932a3472a0901bd3f5763','c7bfb7fcf150e19205b82ea02b5f513b','score','{"options":[{"option":{"logprobs":[-3.731170654296875,-10.132476806640625,-14.51446533203125],"tokens":["Ġp","h","one"],"chars":6,"bytes":6},"suffix":{"logprobs":[-7.404834747314453,-5.534224987030029,-4.707798004150391,-4.250711917877197,-10.731406211853027],"tokens":["Ġwas","Ġf","ul","l","."],"chars":10,"bytes":10},"straddles":false},{"option":{"logprobs":[-2.6225271224975586,-10.930630683898926,-4.588424205780029,-5.0905022621154785],"tokens":["Ġt","ab","l","et"],"chars":7,"bytes":7},"suffix":{"logprobs":[-7.165358543395996,-5.3159332275390625,-4.65439510345459,-4.576560020446777,-11.230366706848145],"tokens":["Ġwas","Ġf","ul","l","."],"chars":10,"bytes":10},"straddles":false}]}');
CREATE TABLE results (
    run TEXT PRIMARY KEY REFERENCES runs, key TEXT NOT NULL, body TEXT NOT NULL, line TEXT
) WITHOUT ROWID;
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
INSERT INTO "run_items" VALUES('7b991c46e6adb0cdaede703a60eaf34a',0,'25bfc4193a71b78d220129d19a04a188');
INSERT INTO "run_items" VALUES('7b991c46e6adb0cdaede703a60eaf34a',1,'645205dd4646296654a00b31ebc62f66');
INSERT INTO "run_items" VALUES('7b991c46e6adb0cdaede703a60eaf34a',2,'558ad52a799fcb670bc66aa28f5b1c81');
INSERT INTO "run_items" VALUES('7b991c46e6adb0cdaede703a60eaf34a',3,'f39e5a624203756920f6003dfbbae857');
INSERT INTO "run_items" VALUES('7b991c46e6adb0cdaede703a60eaf34a',4,'7a1e5adbf7dc304885bcaeff0c757e26');
INSERT INTO "run_items" VALUES('7b991c46e6adb0cdaede703a60eaf34a',5,'88e3a52ac02cc3443732caa0246dbc32');
CREATE TABLE runs (
    id TEXT PRIMARY KEY, task TEXT NOT NULL, version INTEGER NOT NULL, options TEXT NOT NULL,
    method TEXT NOT NULL, seed INTEGER NOT NULL, fingerprint TEXT NOT NULL REFERENCES models,
    versions TEXT NOT NULL, started TEXT NOT NULL, finished TEXT, name TEXT
);
INSERT INTO "runs" VALUES('55cb78557cdad24c7a1b200b525102bb','winogrande',1,'{"data":null,"limit":6,"neutral":null,"rule":"partial","seed":0}','options',0,'67ac8f084732e8576d17834461fcfa02','{"numpy":"2.4.6","polars":"2.1.0","probsense":"0.1.0","python":"3.11.7"}','2026-11-24T17:37:33+00:00','2026-11-24T17:37:33+00:00',NULL);
INSERT INTO "runs" VALUES('7b991c46e6adb0cdaede703a60eaf34a','winogrande',1,'{"data":null,"limit":6,"neutral":null,"rule":"partial","seed":0}','options',0,'7614c9e5e36932a3472a0901bd3f5763','{"numpy":"2.4.6","polars":"2.1.0","probsense":"0.1.0","python":"3.11.7"}','2026-11-24T17:37:54+00:00','2026-11-24T17:37:54+00:00',NULL);
CREATE TABLE usage (
    run TEXT NOT NULL REFERENCES runs, session TEXT NOT NULL, tokens INTEGER NOT NULL, naive INTEGER NOT NULL,
    truncated INTEGER NOT NULL, seconds REAL NOT NULL, requests INTEGER NOT NULL, written INTEGER NOT NULL,
    cost REAL NOT NULL,
    PRIMARY KEY (run, session)
) WITHOUT ROWID;
INSERT INTO "usage" VALUES('7b991c46e6adb0cdaede703a60eaf34a','a97207518ad7d791 542c6525',165,458,0,1.12823585004662163555e-01,0,0,0.0);
CREATE INDEX failures_of ON failures (fingerprint, key);
CREATE UNIQUE INDEX runs_by_name ON runs (name, task, method);
CREATE INDEX findings_of ON findings (run);
COMMIT;
PRAGMA application_id=1347568211;
PRAGMA user_version=7;
