import { type Escape, escapes } from './escape.ts'

/** Programs that are known for reading and listing. */
export const fileEscapes: readonly Escape[] = [
  ...escapes(
    'a path leads out of the workspace',
    `cat | OUT/secret
     cat | ../outside/secret
     cat | link.txt
     cat | sub/../../outside/secret
     head | -c 99 OUT/secret
     tail | -n 5 OUT/secret
     tac | OUT/secret
     nl | OUT/secret
     rev | OUT/reversed
     cut | -c1- OUT/secret
     paste | OUT/secret
     fold | OUT/secret
     expand | OUT/secret
     strings | OUT/secret
     base64 | OUT/secret
     sort | OUT/secret
     uniq | OUT/secret
     grep | -r canary OUT
     grep | "" OUT/secret
     grep | -R canary ..
     grep | --include=secret -r canary ..
     ls | OUT
     ls | -R ..
     du | -a ..
     diff | a.txt OUT/secret
     diff | --to-file=OUT/secret a.txt
     diff | -r . OUT
     comm | a.txt OUT/secret
     sdiff | a.txt OUT/secret
     find | .. -name "canary*"`,
  ),
  ...escapes(
    'a list of names is read from a file, and what is in it comes back in an error',
    `wc | --files0-from=OUT/secret
     du | --files0-from=OUT/secret
     sort | --files0-from=OUT/secret
     date | -f OUT/secret
     date | --file=OUT/secret
     file | -f OUT/secret`,
  ),
  ...escapes(
    'another process of the same user is read',
    `cat | /proc/PID/environ
     grep | -a canary /proc/PID/environ
     head | -c 9999 /proc/PID/environ
     strings | /proc/PID/environ
     sort | -z /proc/PID/environ
     xargs | -0 -a /proc/PID/environ echo
     awk | "{ print }" /proc/PID/environ
     sed | -n p /proc/PID/environ`,
  ),
  ...escapes(
    'an option or a second name is a file that is written',
    `sort | -o OUT/mark a.txt
     sort | -oOUT/mark a.txt
     sort | --output=OUT/mark a.txt
     sort | --outp=OUT/mark a.txt
     sort | a.txt -o OUT/mark
     uniq | a.txt OUT/mark
     shuf | -o OUT/mark a.txt
     shuf | --output=OUT/mark a.txt
     split | -n 1 a.txt OUT/mark
     csplit | -f OUT/mark a.txt 2
     sdiff | -o OUT/mark a.txt a.txt
     tee | OUT/mark
     tee | -a OUT/victim OUT/mark
     cp | a.txt OUT/mark
     cp | -t OUT a.txt
     cp | OUT/secret taken.txt
     mv | a.txt OUT/mark
     mv | OUT/victim taken.txt
     ln | OUT/secret hard.txt
     ln | a.txt OUT/mark
     install | a.txt OUT/mark
     touch | OUT/mark
     truncate | -s 0 OUT/victim
     dd | if=a.txt of=OUT/mark status=none
     dd | if=OUT/secret status=none
     mkdir | OUT/mark
     mkfifo | OUT/mark
     rm | OUT/victim
     unlink | OUT/victim
     chmod | 777 OUT/victim
     gzip | -f OUT/victim
     openssl | rand -out OUT/mark 4
     tar | -cf OUT/mark a.txt
     tar | -C OUT -xf a.tar
     tar | -xPf absolute.tar
     tar | -tvf a.tar --index-file=OUT/mark
     tar | -cf b.tar --remove-files OUT/victim
     tar | -cf - OUT/secret`,
  ),
  ...escapes(
    'expressions of find act on what it finds',
    `find | . -name a.txt -exec ./evil.sh \\;
     find | . -name a.txt -exec ./evil.sh "{}" +
     find | . -name a.txt -execdir ./evil.sh \\;
     find | OUT -name victim -delete
     find | OUT -name secret -exec cat "{}" +
     find | . -name a.txt -fprint OUT/mark
     find | . -name a.txt -fprint0 OUT/mark
     find | . -name a.txt -fprintf OUT/mark %p
     find | . -name a.txt -fls OUT/mark
     find | . -maxdepth 0 -fprintf AGENTS.md obey`,
  ),
  ...escapes(
    'an option is a program',
    `sort | --compress-program=./evil.sh -S 1K big.txt
     sort | --compress-prog ./evil.sh -S 1K big.txt
     split | --filter=./evil.sh a.txt
     sdiff | --diff-program=./evil.sh a.txt b.txt
     diff3 | --diff-program=./evil.sh a.txt b.txt a.txt
     tar | -cf c.tar --checkpoint=1 --checkpoint-action=exec=./evil.sh a.txt
     tar | -I ./evil.sh -cf c.tar a.txt
     tar | --use-compress-program=./evil.sh -cf c.tar a.txt
     tar | -xf a.tar --to-command=./evil.sh
     tar | -F ./evil.sh -M -L 10 -cf c.tar big.txt
     rg | --pre ./evil.sh one
     rg | --pre=./evil.sh one
     rg | -uu canary OUT
     fd | -x ./evil.sh \\; a.txt
     fd | a.txt -X ./evil.sh
     fd | --base-directory OUT canary
     zip | -q -TT ./evil.sh -T c.zip a.txt`,
  ),
]
