import assert from 'node:assert/strict'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { foreword } from '../kit/started-program.ts'
import { allowing, attacks, commands, commandsAtOnce } from './attacked-gateway.ts'

const KEY = 'sk-canary-4kQ9vTz7Wm2XbR8nLc5P'
const WRITES = `/call write_file ${JSON.stringify({ path: 'proof.txt', content: 'approved by the model' })}\n/say Done.`

/** Each runs another program, or reads or writes outside of the workspace, with nothing but a common prefix. */
const FIFTEEN = [
  `find . -name a.txt -exec sh -c 'cat ../data/token; echo x > ../taken' \\;`,
  'xargs -a ../data/token echo',
  'sort -o ../taken a.txt',
  'sort --compress-program=./evil.sh -S 1K a.txt',
  'tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec=./evil.sh a.txt',
  'sed "1e ./evil.sh" a.txt',
  `awk 'BEGIN { system("./evil.sh") }'`,
  'git diff --output=../taken --no-index a.txt b.txt',
  'git show --output=../taken HEAD',
  'git grep -O./evil.sh one',
  'git fetch --upload-pack=./evil.sh . main',
  'git archive --remote=. --exec=./evil.sh HEAD',
  'env ./evil.sh',
  'tee ../taken',
  'uniq a.txt ../taken',
]

const NEEDED: readonly (readonly [scope: string, path: string, body?: unknown])[] = [
  ['read', '/api/sessions'],
  ['read', '/api/audit'],
  ['read', '/api/approvals'],
  ['talk', '/api/messages', { text: 'hello' }],
  ['approve', '/api/approvals/approval_none', { decision: 'approve', digest: '0'.repeat(64) }],
  ['admin', '/api/tokens'],
  ['admin', '/api/tokens', { name: 'more', scope: 'admin' }],
  ['admin', '/api/acceptance', { name: 'tool-access.json', digest: '0'.repeat(64) }],
  ['admin', '/api/tools/shell/run', { input: { cmd: 'id' }, digest: '0'.repeat(64) }],
]

/** As owners write them who want to be asked about nothing. */
const PREFIXES =
  'awk cat cp env find git grep ln mkdir mv nohup node python3 sed setsid sh sort tar tee touch uniq xargs'.split(' ')

attacks(
  {
    files: {
      'workspace/a.txt': 'one\ntwo\n',
      'workspace/b.txt': 'two\n',
      'workspace/evil.sh':
        '#!/bin/sh\ncat <home>/data/token; tr "\\0" "\\n" < /proc/$PPID/environ; echo x > <home>/taken\n',
    },
    programs: ['workspace/evil.sh'],
    repository: ['a.txt'],
    policy: allowing(...PREFIXES),
    environment: { OPENAI_API_KEY: KEY },
    prepare(home) {
      mkdirSync(join(home, 'data'), { mode: 0o700 })
      writeFileSync(join(home, 'data/token'), `${'hard-linked-canary-'.repeat(3)}\n`, { mode: 0o600 })
      linkSync(join(home, 'data/token'), join(home, 'workspace/hard.txt'))
      symlinkSync('../data/token', join(home, 'workspace/soft.txt'))
      symlinkSync('..', join(home, 'workspace/up'))
      symlinkSync('/proc/self/root', join(home, 'workspace/root'))
    },
  },
  {
    'neither the environment of the gateway nor its token is told': async (here) => {
      const said = await here.say(
        commands(
          `grep -a KEY /proc/${here.pid}/environ`,
          `cat /proc/${here.pid}/environ`,
          'cat ../data/token',
          `cat ${here.home}/data/token`,
          `cat /proc/${here.pid}/cwd/data/token`,
          `cat /proc/${here.pid}/root${here.home}/data/token`,
          `sh -c "base64 ../data/token; od -c ../data/token; xxd -p ../data/token; cat /proc/*/environ"`,
          `sh -c "for p in /proc/[0-9]*; do tr '\\\\0' '\\\\n' < $p/environ; done"`,
          `python3 -c 'print(open("../data/token").read()[::1])'`,
        ),
      )
      assert.equal(said.results.length, 9)
      assert.ok(!said.log.includes(here.token), said.log)
      assert.ok(!said.log.includes(KEY), said.log)
    },
    'a model cannot approve its own call with the token, whichever way its program leaves it': async (here) => {
      const curl = (rest = '') => `curl -s -m 5 -H @auth.txt -H 'content-type: application/json' -d @body.txt ${rest}`
      const { waiting, end } = await here.begin(WRITES)
      const { approval, digest } = waiting[0]!
      const address = `${here.url}/api/approvals/${approval}`
      const script = [
        `printf 'Authorization: Bearer %s' "$(cat ../data/token)" > auth.txt`,
        `printf '%s' '${JSON.stringify({ decision: 'approve', digest, by: 'cli' })}' > body.txt`,
      ].join('\n')
      const attacker = `${script}\n${curl(address)}\nenv -i /usr/bin/${curl(address)}\nsetsid -w ${curl(address)}\n`
      await here.write('steal.sh', attacker)
      await here.write(
        'fork.py',
        'import os, subprocess\nif os.fork() == 0: os._exit(subprocess.call(["sh", "steal.sh"]))\nos.wait()\n',
      )
      await here.write('decide.sh', `${script}\nFOREWORD_TOOL= node ${foreword} approve ${approval} --yes\n`)
      await here.sayWithout(
        commands(
          'sh steal.sh',
          'env -i sh steal.sh',
          'setsid -w sh steal.sh',
          'env -i nohup sh steal.sh',
          'env -i python3 fork.py',
          'sh decide.sh',
          'env -i sh decide.sh',
        ),
        approval,
      )
      assert.equal(existsSync(join(here.workspace, 'proof.txt')), false)
      const still = (await (await here.ask('/api/approvals')).json()) as { approvals: readonly { approval: string }[] }
      assert.ok(still.approvals.some((one) => one.approval === approval))
      assert.deepEqual(
        (await here.audit()).filter(({ tool, decision }) => tool === 'write_file' && decision === 'approved'),
        [],
      )
      assert.equal((await here.decide(waiting[0]!, 'deny')).status, 200)
      await end()
      assert.equal(existsSync(join(here.workspace, 'proof.txt')), false)
    },
    'fifteen common prefixes change nothing outside the workspace from within a sandbox, and tell no secret anywhere':
      async (here, variant) => {
        const before = here.outside()
        const { log, results, session } = await here.say(commandsAtOnce(...FIFTEEN))
        assert.equal(results.length, FIFTEEN.length)
        assert.ok(!log.includes(here.token) && !log.includes(KEY), log)
        if (variant.sandbox === 'on') assert.deepEqual(here.outside(), before)
        const calls = (await here.audit()).filter((row) => row.kind === 'call' && row.session === session)
        assert.equal(calls.length, FIFTEEN.length)
        assert.equal(readFileSync(join(here.home, 'data/token'), 'utf8').trim(), here.token)
      },
    'a link to the token is not read, whichever kind of link and whoever makes it': async (here) => {
      const paths = [
        'hard.txt',
        'soft.txt',
        'up/data/token',
        `root${here.home}/data/token`,
        'made.txt',
        '../data/token',
        '/proc/self/environ',
      ]
      const made = await here.say(
        commandsAtOnce('ln ../data/token made.txt', 'ln -s ../data/token made2.txt', 'cat hard.txt soft.txt'),
      )
      const read = await here.say(
        `${paths.map((path) => `/call read_file ${JSON.stringify({ path })}`).join('\n')}\n/say Done.`,
      )
      assert.equal(read.results.length, paths.length)
      for (const { log } of [made, read]) assert.ok(!log.includes('hard-linked-canary'), log)
    },
    'a token opens what its scope names, and no token for MCP clients opens anything else': async (here) => {
      const tokens: Record<string, string> = {}
      for (const scope of ['read', 'talk', 'approve', 'mcp']) {
        // oxlint-disable-next-line no-await-in-loop -- one after another
        const made = await here.ask('/api/tokens', { name: `one-${scope}`, scope })
        tokens[scope] = ((await made.json()) as { token: string }).token
      }
      const levels = ['read', 'talk', 'approve', 'admin']
      for (const [scope, token] of Object.entries(tokens)) {
        for (const [needed, path, body] of NEEDED) {
          // oxlint-disable-next-line no-await-in-loop -- one after another
          const status = await here.askWith(token, path, body)
          const isOpen = scope !== 'mcp' && levels.indexOf(scope) >= levels.indexOf(needed)
          assert.equal(status === 403, !isOpen, `${scope} at ${path}: ${status}`)
        }
      }
      const data = join(here.home, 'data')
      const kept = (readdirSync(data, { recursive: true }) as string[]).filter((name) =>
        statSync(join(data, name)).isFile(),
      )
      for (const name of kept) {
        const text = readFileSync(join(data, name), 'latin1')
        for (const token of Object.values(tokens)) assert.ok(!text.includes(token), name)
      }
      const { log } = await here.say(commands(`cat ../data/token`, `grep -ra foreword ../data`))
      for (const token of [here.token, ...Object.values(tokens)]) assert.ok(!log.includes(token))
    },
    'an audit whose store a program removed is broken, and in the sandbox none can remove it': async (
      here,
      variant,
    ) => {
      await here.say(commands('sh -c "echo one"'))
      const expected = JSON.parse((await here.foreword('audit', 'verify', '--json')).stdout) as {
        readonly type?: string
      }
      assert.equal(expected.type, 'whole')
      await here.say(commands('sh -c "rm -f ../data/*.sqlite ../data/*.sqlite-wal ../data/*.sqlite-shm"'))
      await here.stop()
      const { code, stdout, stderr } = await here.foreword('audit', 'verify')
      assert.equal(code === 0, variant.sandbox === 'on', stdout + stderr)
      if (variant.sandbox !== 'on') assert.doesNotMatch(stdout, /\bwhole\b/)
    },
  },
)
