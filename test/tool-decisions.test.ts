import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import { temporaryHome } from './cli/home.ts'
import { realGateway } from './end-to-end/gateway.ts'

const isLinux = { skip: process.platform === 'linux' ? false : 'needs /proc' }
const foreword = join(import.meta.dirname, '..', 'bin', 'foreword.js')

/** Runs a line as a program of a tool does that has removed every mark from its environment. */
async function asHiddenTool(line: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const kept = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  const unmarked = ['/usr/bin/env', '-i', ...kept, '/bin/sh', '-c', `${line}; true`]
  const words = unmarked.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const { stdout, stderr } = await promisify(execFile)('/bin/sh', ['-c', `${words}; true`], {
    env: { PATH: process.env['PATH'], FOREWORD_TOOL: '1' },
  })
  return stdout + stderr
}

test('a program of a tool cannot approve with the command, though it removed its marks', isLinux, async (t) => {
  const { environment } = temporaryHome(t)
  const said = await asHiddenTool(`'${process.execPath}' '${foreword}' approve anything`, environment)
  assert.match(said, /A tool started this command, and a model cannot/)
})

test('a program of a tool cannot decide over HTTP, whatever token it found; a person can', isLinux, async (t) => {
  const gateway = await realGateway(t, {}, {})
  const make = (name: string) =>
    `const answer = await fetch('${gateway.url}/api/tokens', { method: 'POST', body: '{"name":"${name}","scope":"admin"}',
    headers: { authorization: 'Bearer ${gateway.token}', 'content-type': 'application/json' } })
    console.log(answer.status, await answer.text())`
  const node = (script: string) => `'${process.execPath}' --input-type=module -e '${script.replaceAll("'", `'\\''`)}'`
  const refused = await asHiddenTool(node(make('stolen')), {})
  assert.match(refused, /^403 .*A program that a tool started asked for POST \/api\/tokens/)
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', make('mine')])
  assert.match(stdout, /^201 /)
})
