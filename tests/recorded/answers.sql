BEGIN TRANSACTION;
CREATE TABLE answers (
    id INTEGER PRIMARY KEY, person INTEGER NOT NULL REFERENCES people, page TEXT NOT NULL, body TEXT NOT NULL,
    ms INTEGER, at INTEGER NOT NULL
);
INSERT INTO "answers" VALUES(1,1,'instructions','{}',2500,1800000002500);
INSERT INTO "answers" VALUES(2,1,'1','{"q1":"yes","q2":"yes"}',2500,1800000005000);
INSERT INTO "answers" VALUES(3,1,'2','{"choice":"0"}',2500,1800000007500);
INSERT INTO "answers" VALUES(4,1,'3','{"q1":"yes","q2":"yes"}',2500,1800000010000);
INSERT INTO "answers" VALUES(5,1,'4','{"q1":"yes","q2":"yes"}',2500,1800000012500);
INSERT INTO "answers" VALUES(6,2,'instructions','{}',2600,1800000017600);
INSERT INTO "answers" VALUES(7,2,'1','{"q1":"no","q2":"no"}',2600,1800000020200);
INSERT INTO "answers" VALUES(8,2,'2','{"q1":"no","q2":"no"}',2600,1800000022800);
INSERT INTO "answers" VALUES(9,2,'3','{"q1":"no","q2":"no"}',2600,1800000025400);
INSERT INTO "answers" VALUES(10,2,'4','{"choice":"1"}',2600,1800000028000);
INSERT INTO "answers" VALUES(11,3,'instructions','{}',2700,1800000033300);
INSERT INTO "answers" VALUES(12,3,'1','{"q1":"yes","q2":"yes"}',2700,1800000036000);
INSERT INTO "answers" VALUES(13,3,'2','{"q1":"yes","q2":"yes"}',2700,1800000038700);
INSERT INTO "answers" VALUES(14,3,'3','{"q1":"yes","q2":"yes"}',2700,1800000041400);
INSERT INTO "answers" VALUES(15,3,'4','{"choice":"0"}',2700,1800000044100);
INSERT INTO "answers" VALUES(16,4,'instructions','{}',2800,1800000049600);
INSERT INTO "answers" VALUES(17,4,'1','{"q1":"no","q2":"no"}',2800,1800000052400);
INSERT INTO "answers" VALUES(18,4,'2','{"choice":"1"}',2800,1800000055200);
INSERT INTO "answers" VALUES(19,4,'3','{"q1":"no","q2":"no"}',2800,1800000058000);
INSERT INTO "answers" VALUES(20,4,'4','{"q1":"no","q2":"no"}',2800,1800000060800);
INSERT INTO "answers" VALUES(21,5,'instructions','{}',2900,1800000066500);
INSERT INTO "answers" VALUES(22,5,'1','{"q1":"yes","q2":"yes"}',2900,1800000069400);
INSERT INTO "answers" VALUES(23,5,'2','{"choice":"0"}',2900,1800000072300);
INSERT INTO "answers" VALUES(24,5,'3','{"q1":"yes","q2":"yes"}',2900,1800000075200);
INSERT INTO "answers" VALUES(25,5,'4','{"q1":"yes","q2":"yes"}',2900,1800000078100);
INSERT INTO "answers" VALUES(26,6,'instructions','{}',3000,1800000084000);
INSERT INTO "answers" VALUES(27,6,'1','{"q1":"no","q2":"no"}',3000,1800000087000);
CREATE TABLE forgotten (person INTEGER PRIMARY KEY, at INTEGER NOT NULL);
CREATE TABLE pauses (id INTEGER PRIMARY KEY, paused INTEGER NOT NULL, at INTEGER NOT NULL);
CREATE TABLE people (
    person INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, participant TEXT UNIQUE, study TEXT NOT NULL,
    session TEXT NOT NULL, at INTEGER NOT NULL, seen INTEGER NOT NULL, keys TEXT NOT NULL, end TEXT, ended_at INTEGER
);
INSERT INTO "people" VALUES(1,'PiMttC1hSjlQYn0zvHfYPea62zYUIM6_','p0','','',1800000000000,1800000012500,'["0/1", "check/0", "0/0", "0/2"]','completion',1800000015000);
INSERT INTO "people" VALUES(2,'J5tFznV3M2SE4orVNrz80I06F3VF6gY8','p1','','',1800000015000,1800000028000,'["0/1", "0/0", "0/2", "check/0"]','completion',1800000030600);
INSERT INTO "people" VALUES(3,'mtENydd5ZPRsk8c5JmrelYejVvGJXkcF','p2','','',1800000030600,1800000044100,'["0/1", "0/0", "0/2", "check/0"]','completion',1800000046800);
INSERT INTO "people" VALUES(4,'AGQs1Jx1Oudd-dxJdKxNRcpgSeYvn0Z-','p3','','',1800000046800,1800000060800,'["0/2", "check/0", "0/0", "0/1"]','completion',1800000063600);
INSERT INTO "people" VALUES(5,'6m7uYRt3HrlrpSVY-G0JUFlCXkh6CWw7','p4','','',1800000063600,1800000078100,'["0/1", "check/0", "0/0", "0/2"]','completion',1800000081000);
INSERT INTO "people" VALUES(6,'dfI2x88OxX4cIm5hmGXBx4B6u9b3PYYw','p5','','',1800000081000,1800000087000,'["0/0", "0/2", "check/0", "0/1"]',NULL,NULL);
CREATE TABLE shown (
    person INTEGER NOT NULL REFERENCES people, page TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (person, page)
) WITHOUT ROWID;
INSERT INTO "shown" VALUES(1,'1',1800000002500);
INSERT INTO "shown" VALUES(1,'2',1800000005000);
INSERT INTO "shown" VALUES(1,'3',1800000007500);
INSERT INTO "shown" VALUES(1,'4',1800000010000);
INSERT INTO "shown" VALUES(1,'finish',1800000012500);
INSERT INTO "shown" VALUES(1,'instructions',1800000000000);
INSERT INTO "shown" VALUES(2,'1',1800000017600);
INSERT INTO "shown" VALUES(2,'2',1800000020200);
INSERT INTO "shown" VALUES(2,'3',1800000022800);
INSERT INTO "shown" VALUES(2,'4',1800000025400);
INSERT INTO "shown" VALUES(2,'finish',1800000028000);
INSERT INTO "shown" VALUES(2,'instructions',1800000015000);
INSERT INTO "shown" VALUES(3,'1',1800000033300);
INSERT INTO "shown" VALUES(3,'2',1800000036000);
INSERT INTO "shown" VALUES(3,'3',1800000038700);
INSERT INTO "shown" VALUES(3,'4',1800000041400);
INSERT INTO "shown" VALUES(3,'finish',1800000044100);
INSERT INTO "shown" VALUES(3,'instructions',1800000030600);
INSERT INTO "shown" VALUES(4,'1',1800000049600);
INSERT INTO "shown" VALUES(4,'2',1800000052400);
INSERT INTO "shown" VALUES(4,'3',1800000055200);
INSERT INTO "shown" VALUES(4,'4',1800000058000);
INSERT INTO "shown" VALUES(4,'finish',1800000060800);
INSERT INTO "shown" VALUES(4,'instructions',1800000046800);
INSERT INTO "shown" VALUES(5,'1',1800000066500);
INSERT INTO "shown" VALUES(5,'2',1800000069400);
INSERT INTO "shown" VALUES(5,'3',1800000072300);
INSERT INTO "shown" VALUES(5,'4',1800000075200);
INSERT INTO "shown" VALUES(5,'finish',1800000078100);
INSERT INTO "shown" VALUES(5,'instructions',1800000063600);
INSERT INTO "shown" VALUES(6,'1',1800000084000);
INSERT INTO "shown" VALUES(6,'2',1800000087000);
INSERT INTO "shown" VALUES(6,'instructions',1800000081000);
CREATE TABLE studies (
    id INTEGER PRIMARY KEY, at INTEGER NOT NULL, identity TEXT NOT NULL, key BLOB NOT NULL, body TEXT NOT NULL
);
INSERT INTO "studies" VALUES(1,1800000000000,'6d850b2238be849306b91c901914eca7',X'E4C6A7EB1621279F575C9FF2F1CF5B40149D9B9D5E7AD7250499E8E97453377A','{"abandon_after":30.0,"blocks":[{"answers":1,"asked":{"q1":"Do you agree?","q2":"Would most people agree?"},"kind":"statement","per_item":20,"per_person":3,"questions":[{"data":{},"id":"0","options":[],"right":null,"text":"Water is wet."},{"data":{},"id":"1","options":[],"right":null,"text":"Fire is cold."},{"data":{},"id":"2","options":[],"right":null,"text":"Dogs bark."}]}],"checks":[{"expected":"yes","options":["yes","no"],"text":"Say yes."}],"completion":{"address":"","code":"","text":""},"consent":"What it is about.\n\n- You may stop.\n- Nothing else is stored.","declined":{"address":"","code":"","text":""},"demographics":[],"embed":[],"failed_checks":0,"flags":{"copied":3,"seconds":2.0},"full":{"address":"","code":"","text":""},"hash_ids":false,"ids":{"participant":"PID","session":"","study":""},"instructions":"Read, and answer.","language":"en","order":"random","paused":{"address":"","code":"","text":""},"screened_out":{"address":"","code":"","text":""},"seed":0,"time_limit":0.0,"title":"Everyday statements","words":{"about_text":"You may leave out what is not marked as required.","about_title":"About you","agree":"I agree and want to take part","already_text":"Somebody has already taken part in this study with your participant id. If you began it yourself, go on in the same browser.","already_title":"You have taken part before","answer":"Your answer","answer_number":"Answer {number}","answers_hint":"Give up to {count} answers, one in each box, the most likely one first. One is enough.","back":"Back","choice":"Which option fits best?","choose":"Please choose","close":"You may close this page.","code":"Your code:","completion_text":"Your answers are stored.","completion_title":"Thank you","consent_title":"About this study","continue":"Continue","decline":"I do not want to take part","declined_text":"Nothing was stored.","declined_title":"You do not take part","error":"Error","errors_title":"Please look at your answers again","finish":"Finish","finish_text":"You can still go back and change your answers. When you press “Finish”, they are final.","finish_title":"That was the last question","full_text":"Enough people have taken part in this study. Thank you for your interest.","full_title":"There are no places left","instructions_title":"What you will do","link":"Go back to the platform","missing":"Please answer this question.","no":"No","not_found_text":"Please open the address of the study that you were given.","not_found_title":"There is no such page","number":"Please give a number.","number_between":"Please give a number from {low} to {high}.","number_from":"Please give a number of at least {low}.","number_to":"Please give a number of at most {high}.","paused_text":"At the moment nobody new can take part. Please try again later. Thank you for your interest.","paused_title":"This study is paused","progress":"Question {number} of {count}","refused_text":"Please go back, load the page again, and send your answer once more.","refused_title":"That did not work","required":"required","screened_out_text":"This study looks for other participants, so it ends here for you.","screened_out_title":"Thank you for your interest","statement":"Statement","time_left":"About {minutes} minutes left","time_left_one":"Less than a minute left","timed_out_text":"The time for this study has passed, so it ends here. Thank you for taking part.","timed_out_title":"The time is over","too_fast_text":"Too many pages were asked for at once. Please wait a few seconds, and load the page again.","too_fast_title":"One moment, please","yes":"Yes"}}');
CREATE INDEX answers_of ON answers (person, page);
COMMIT;
PRAGMA application_id=1347572560;
PRAGMA user_version=2;
