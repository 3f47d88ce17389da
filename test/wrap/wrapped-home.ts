import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { defined } from '../../src/platform.ts'
import { type Spawned, spawnForeword } from '../cli/gateway-process.ts'

/** A home whose provider `anthropic` is a scripted vendor, and a folder of programs that stand in for agents. */
export interface WrappedHome {
  readonly home: string
  /** The home of the person, where agents keep their files. */
  readonly person: string
  /** Where temporary files are made. */
  readonly temporary: string
  readonly environment: Readonly<Record<string, string>>
  /** Runs `foreword`. */
  readonly foreword: (...args: readonly string[]) => Spawned
  /** Puts a program on PATH: the text of a module. */
  readonly install: (name: string, text: string) => void
}

export function wrappedHome(t: TestContext, vendor: string, more: Readonly<Record<string, string>> = {}): WrappedHome {
  const root = mkdtempSync(join(tmpdir(), 'foreword-wrapped-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const [home, person, temporary, programs] = ['home', 'person', 'tmp', 'bin'].map((name) => join(root, name)) as [
    string,
    string,
    string,
    string,
  ]
  for (const folder of [home, person, temporary, programs]) mkdirSync(folder, { mode: 0o700 })
  const providers = {
    anthropic: { kind: 'anthropic', baseURL: `${vendor}/v1` },
    openai: { kind: 'openai', baseURL: `${vendor}/v1` },
  }
  writeFileSync(join(home, 'config.json'), JSON.stringify({ model: 'rehearsal', providers }))
  const environment = {
    FOREWORD_HOME: home,
    FOREWORD_GATEWAY_PORT: '0',
    HOME: person,
    TMPDIR: temporary,
    PATH: programs,
    NO_COLOR: '1',
    OLLAMA_HOST: '127.0.0.1:1',
    // Compiled modules of earlier runs are not in the folder for temporary files.
    ...defined({ NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }),
    ...more,
  }
  return {
    home,
    person,
    temporary,
    environment,
    foreword: (...args) => spawnForeword(t, args, environment),
    install(name, text) {
      const module = join(programs, 'modules', `${name}.mjs`)
      mkdirSync(dirname(module), { recursive: true })
      writeFileSync(module, text)
      const file = join(programs, name)
      writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${module}' "$@"\n`)
      chmodSync(file, 0o755)
    },
  }
}

/** Stands in for Claude Code: makes one call, says what it was given and what came back, and ends as it is told. */
export const onceClaude = `
const { ANTHROPIC_BASE_URL, ANTHROPIC_CUSTOM_HEADERS, NO_PROXY } = process.env
const headers = Object.fromEntries(ANTHROPIC_CUSTOM_HEADERS.split('\\n').map((line) => line.split(': ')))
const response = await fetch(ANTHROPIC_BASE_URL + '/v1/messages', {
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json', 'x-api-key': 'own-key', 'user-agent': 'claude-cli/2.1.330 (external)' },
  body: '{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"Hello  there"}],"stream":true}',
})
const text = await response.text()
console.log(JSON.stringify({ args: process.argv.slice(2), status: response.status, isWhole: text.includes('message_stop'), NO_PROXY, extra: headers['x-extra'] }))
process.exitCode = 7
`

/** Stands in for Codex: makes one call as its provider `openai` does, and says what it was given. */
export const onceCodex = `
const { OPENAI_PROJECT: project } = process.env
const args = process.argv.slice(2)
const response = await fetch(JSON.parse(args[1].split('=')[1]) + '/responses', {
  method: 'POST',
  headers: { 'openai-project': project, authorization: 'Bearer own-key', 'content-type': 'application/json', 'user-agent': 'codex_exec/0.169.0' },
  body: '{"model":"gpt-5","input":"Hello","stream":false}',
})
await response.text()
console.log(JSON.stringify({ args, project, status: response.status }))
`

/** Stands in for a program that runs until a signal: says that it is there, and which signal came. */
export const patientProgram = `
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {
  console.log('got ' + signal)
  process.exit(3)
})
setInterval(() => {}, 1000)
console.log('ready ' + process.pid)
`
