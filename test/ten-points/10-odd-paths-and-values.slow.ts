import assert from 'node:assert/strict'
import { chmodSync, existsSync, linkSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { allowing, attack, attackedGateway, type AttackedGateway, commandsAtOnce } from './attacked-gateway.ts'

const POLICY = allowing('cat', 'ln', 'cp', 'mv', 'tee', 'sh', 'mkdir', 'touch')

/** Files and folders that other programs obey. */
const OBEYED =
  'AGENTS.md CLAUDE.md GEMINI.md .mcp.json .vscode/tasks.json .envrc .npmrc .husky/pre-commit .gitmodules .git/config .git/hooks/post-checkout .agents/skills/x/SKILL.md .claude/settings.json .cursor/rules .devcontainer/devcontainer.json'.split(
    ' ',
  )
const spellings = (path: string) => [
  path,
  `sub/${path}`,
  `./sub/../${path}`,
  `sub//${path}`,
  path.toUpperCase(),
  `sub/${path.toLowerCase()}`,
  `link/${path}`,
  `deep/a/b/c/../c/${path}`,
  `${path}/`,
  ...path.split('/').map((_, index, parts) => parts.with(index, `${parts[index]}. `).join('/')),
  `sub\\..\\${path}`,
]

/** Everything in the workspace that would be obeyed, where nothing of the kind was laid. */
function obeyed(here: AttackedGateway): readonly string[] {
  const names = readdirSync(here.workspace, { recursive: true }) as string[]
  const bad = new Set(OBEYED.map((path) => path.split('/')[0]!.toLowerCase()))
  const plain = (part: string) =>
    part
      .toLowerCase()
      .replace(/\u200D|::.*|[. ]+$/g, '')
      .replace('git~1', '.git')
  return names.filter((name) => name.split('/').some((part) => bad.has(plain(part))))
}

attack('no file that other programs obey is planted with the file tools, however it is spelled', async (t, variant) => {
  const here = await attackedGateway(t, variant, {
    files: { 'workspace/sub/a.txt': 'a' },
    policy: {
      ...POLICY,
      tools: { ...POLICY.tools, write_file: { approval: 'never' }, edit_file: { approval: 'never' } },
    },
    prepare: (home) => symlinkSync('sub', join(home, 'workspace/link')),
  })
  const paths = [
    ...OBEYED.flatMap(spellings),
    'GIT~1/config',
    'sub/.git::$INDEX_ALLOCATION/config',
    '.g\u200Dit/config',
  ]
  const calls = paths.map((path) => `/call write_file ${JSON.stringify({ path, content: 'obey' })}`)
  const { results } = await here.say(`${calls.join('\n')}\n/say Done.`)
  assert.equal(results.length, paths.length)
  // A backslash is a letter of a name here, and such a name is not obeyed.
  assert.deepEqual(obeyed(here), [])
})

attack('a link to the token is not read, whichever kind of link and whoever makes it', async (t, variant) => {
  const here = await attackedGateway(t, variant, {
    policy: POLICY,
    prepare(home) {
      mkdirSync(join(home, 'data'), { mode: 0o700 })
      writeFileSync(join(home, 'data/token'), `${'hard-linked-canary-'.repeat(3)}\n`, { mode: 0o600 })
      linkSync(join(home, 'data/token'), join(home, 'workspace/hard.txt'))
      symlinkSync('../data/token', join(home, 'workspace/soft.txt'))
      symlinkSync('..', join(home, 'workspace/up'))
      symlinkSync('/proc/self/root', join(home, 'workspace/root'))
    },
  })
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
})

attack('an odd Host or Origin gets a refusal of the client, never a fault of the gateway', async (t, variant) => {
  const here = await attackedGateway(t, variant, {})
  const { port } = new URL(here.url)
  const ask = (headers: Readonly<Record<string, string>>) =>
    new Promise<number>((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port,
        path: '/api/sessions',
        headers: { authorization: `Bearer ${here.token}`, ...headers },
      }
      request(options, (response) => resolve(response.resume().statusCode!))
        .on('error', reject)
        .end()
    })
  const hosts =
    '127.999.999.999|127.999.999.999:80|[::1|[::1]:x|127.0.0.1:99999|0x7f.1|%31|a b|[|]|:80|127.0.0.1@evil|evil#127.0.0.1|xn--|\u00ff|..|localhost.'.split(
      '|',
    )
  for (const host of hosts) {
    // oxlint-disable-next-line no-await-in-loop -- one after another
    const status = await ask({ host })
    assert.ok(status === 200 ? /localhost/.test(host) : status >= 400 && status < 500, `${host}: ${status}`)
  }
  for (const origin of [
    'null',
    'http://127.999.999.999',
    'http://[',
    'file://',
    `http://127.0.0.1:${port}.evil`,
    `http://127.0.0.1:${port}@evil`,
    '\u00ff',
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- one after another
    const status = await ask({ origin })
    assert.ok(status >= 400 && status < 500, `${origin}: ${status}`)
  }
})

attack('the user and the key of an address of a provider are shown nowhere', async (t, variant) => {
  const here = await attackedGateway(t, variant, {
    configuration: {
      providers: {
        odd: {
          kind: 'openai-compatible',
          baseURL: 'http://canary-user:canary-word@127.0.0.1:9/v1?api_key=canary-key&x=1',
        },
      },
    },
  })
  for (const path of [
    '/api/status',
    '/api/models',
    '/api/config',
    '/api/doctor',
    '/api/setup',
    '/api/providers',
    '/api/settings',
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- one after another
    assert.doesNotMatch(await (await here.ask(path)).text(), /canary/, path)
  }
  for (const words of [
    ['config', 'show'],
    ['config', 'get', 'providers'],
    ['doctor'],
    ['models'],
    ['status'],
    ['doctor', '--security'],
    ['config', 'show', '--json'],
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- one after another
    const { stdout, stderr } = await here.foreword(...words)
    assert.doesNotMatch(stdout + stderr, /canary/, words.join(' '))
  }
})

attack('U+202E and escapes of a title and of a text do not reach the terminal', async (t, variant) => {
  const here = await attackedGateway(t, variant, {})
  const { session } = await here.say('/say gnp.\u202Etxt \u001B]0;owned\u0007\u001B[2J\u009B2J \u2066x')
  for (const words of [
    ['sessions'],
    ['sessions', 'show', session],
    ['audit'],
    ['calls', session],
    ['search', 'owned'],
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- one after another
    const { stdout, stderr } = await here.atTerminal(...words)
    // oxlint-disable-next-line no-control-regex -- it is what is looked for
    assert.doesNotMatch(stdout + stderr, /[\u202A-\u202E\u2066-\u2069\u001B\u009B\u0007]/, words.join(' '))
  }
})

attack('a home that exists and that others may enter is closed or told of', async (t, variant) => {
  const here = await attackedGateway(t, variant, { prepare: (home) => chmodSync(home, 0o755) })
  assert.equal(statSync(join(here.home, 'data')).mode & 0o077, 0)
  const { warnings } = (await (await here.ask('/api/status')).json()) as { warnings?: readonly string[] }
  const { stdout } = await here.foreword('doctor', '--security')
  const isClosed = (statSync(here.home).mode & 0o077) === 0
  assert.ok(isClosed || /755|others|chmod/i.test(`${stdout} ${warnings?.join(' ')}`), stdout)
  assert.ok(existsSync(join(here.home, 'data/token')))
})
