import assert from 'node:assert/strict'
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { findSandbox } from '../src/tool.ts'
import { openedHome } from './home/opened-home.ts'

const sandbox = await findSandbox()
const skip = sandbox.type === 'none' && 'no sandbox on this machine'

/** A home whose workspace has other names of files of a person. */
async function linked(t: TestContext) {
  const person = realpathSync(mkdtempSync(join(tmpdir(), 'person-')))
  const before = process.env['HOME']
  process.env['HOME'] = person
  t.after(() => {
    process.env['HOME'] = before
    rmSync(person, { recursive: true, force: true })
  })
  const files = { '.ssh/keys/id': 'canary-key', '.npmrc': 'canary-npmrc', '.bashrc': 'mine', '.zshrc': 'mine' }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(person, name, '..'), { recursive: true })
    writeFileSync(join(person, name), text)
  }
  const tools = { shell: { enabled: true, mode: 'full' }, write_file: { enabled: true, approval: 'never' } }
  const policy = { global: { mode: 'full', afterUntrusted: 'allow' }, tools }
  const here = await openedHome(
    t,
    {
      'tool-access.json': JSON.stringify(policy),
      'data/token': 'x'.repeat(43),
      'workspace/sub/node_modules/one': 'fine',
    },
    { agent: { workspace: './workspace' } },
    { HOME: person },
  )
  const inside = (name: string) => join(here.home, 'workspace', name)
  linkSync(join(person, '.ssh/keys/id'), inside('sub/node_modules/notes'))
  linkSync(join(person, '.npmrc'), inside('.npmrc'))
  linkSync(join(here.home, 'data/token'), inside('sub/token.txt'))
  linkSync(join(person, '.bashrc'), inside('sub/start'))
  linkSync(inside('sub/node_modules/one'), inside('two'))
  rmSync(join(person, '.zshrc'))
  writeFileSync(inside('z'), 'mine')
  symlinkSync(inside('z'), join(person, '.zshrc'))
  const call = (tool: string, input: object) => here.say(`/call ${tool} ${JSON.stringify(input)}\n/say Done.`)
  return { person, inside, call }
}

test('a program reads and changes no file of the home under another name in the workspace', { skip }, async (t) => {
  const { person, inside, call } = await linked(t)
  const shell = async (cmd: string) => (await call('shell', { cmd })).results[0]!
  const kept = ['sub/node_modules/notes', '.npmrc', 'sub/token.txt']
  for (const path of kept) {
    const said = await shell(`cat ${path}; echo taken > ${path}; cp ${path} copy; cat copy; mv ${path} away; cat away`)
    assert.doesNotMatch(said, /canary|x{43}/, path)
  }
  assert.match(
    await shell('cat sub/start; echo taken >> sub/start; mv sub/start s; echo taken >> z; echo b >> two'),
    /mine/,
  )
  for (const name of ['.bashrc', '.zshrc']) assert.equal(readFileSync(join(person, name), 'utf8'), 'mine', name)
  assert.equal(readFileSync(join(person, '.ssh/keys/id'), 'utf8'), 'canary-key')
  assert.equal(readFileSync(inside('sub/node_modules/one'), 'utf8'), 'fineb\n')
})

test('tools on files read no key of a person under another name, and change nothing that its shell obeys', async (t) => {
  const { person, call } = await linked(t)
  for (const path of ['sub/node_modules/notes', 'sub/token.txt', '.npmrc']) {
    assert.match((await call('read_file', { path })).results[0]!, /another name of a file that is kept/, path)
  }
  assert.match((await call('write_file', { path: 'z', content: 'taken' })).results[0]!, /only its owner changes it/)
  assert.match((await call('write_file', { path: 'sub/start', content: 'taken' })).results[0]!, /Replaced/i)
  for (const name of ['.bashrc', '.zshrc']) assert.equal(readFileSync(join(person, name), 'utf8'), 'mine', name)
})
