import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { killAtExit } from './kill-at-exit.ts'

const TOKEN = 'of-a-bench-with-several-gateways'
const command = join(import.meta.dirname, '../../bin/foreword.js')

export interface Gateway {
  readonly home: string
  readonly port: number
  readonly child: ChildProcess
}

/** Starts a gateway in a home of its own. `store`: the address of a database. */
export async function startGateway(options: {
  readonly home: string
  readonly model: string
  readonly store?: string
}): Promise<Gateway> {
  const { home, model, store } = options
  mkdirSync(home, { recursive: true })
  writeFileSync(
    join(home, 'config.json'),
    JSON.stringify({
      gateway: { port: 0, token: TOKEN },
      model: 'bench/m',
      providers: { bench: { kind: 'openai-compatible', baseURL: model } },
      models: { 'bench/m': { window: 32_768 } },
      people: { turnsAtOnce: 8 },
    }),
  )
  // The arguments of `npm start`.
  const child = spawn(process.execPath, ['--max-semi-space-size=4', command, 'start', '--home', home], {
    env: { ...process.env, ...(store !== undefined && { FOREWORD_STORE: store }), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  killAtExit(child)
  const port = await new Promise<number>((resolve, reject) => {
    const said: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        said.push(line)
        const found = /(?:Address|Stands by at) +http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]
        if (found !== undefined) resolve(Number(found))
      })
    }
    child.once('close', () => reject(new Error(`A gateway ended: ${said.join('\n')}`)))
  })
  return { home, port, child }
}

/** Ends gateways with what they have done: nobody asks for it again. */
export async function stopGateways(gateways: readonly Gateway[]): Promise<void> {
  for (const { child } of gateways) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const ended = once(child, 'close')
    child.kill('SIGKILL')
    await ended
  }
}

/** Adds people, and returns a token for each. */
export async function addPeople({ port }: Gateway, count: number): Promise<readonly string[]> {
  const tokens: string[] = []
  for (let number = 1; number <= count; number += 1) {
    const person = `person-${number}`
    await ask(port, TOKEN, '/api/people', { name: person })
    const answer = await ask(port, TOKEN, '/api/tokens', { name: person, scope: 'approve', person })
    tokens.push((JSON.parse(answer) as { readonly token: string }).token)
  }
  return tokens
}

/** The folder from which the home of a person is served. */
export async function homeOf(port: number, token: string): Promise<string> {
  return (JSON.parse(await ask(port, token, '/api/status')) as { readonly home: string }).home
}

const agent = new Agent({ keepAlive: true })

/** One turn in a session of its own. Resolves when its answer is whole. */
export async function runTurn(port: number, token: string, word: string, timeoutMs = 60_000): Promise<void> {
  const body = { model: 'foreword', stream: true, messages: [{ role: 'user', content: `Say twelve words: ${word}` }] }
  const text = await ask(port, token, '/v1/chat/completions', body, timeoutMs)
  if (!text.includes('word11') || !text.includes('[DONE]')) throw new Error(`An answer is not whole: ${text}`)
}

/** With a body it is a POST. */
function ask(port: number, token: string, path: string, body?: object, timeoutMs = 60_000): Promise<string> {
  const json = body === undefined ? '' : JSON.stringify(body)
  const method = body === undefined ? 'GET' : 'POST'
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(json),
      'x-foreword-session': 'new',
    }
    const outgoing = request(
      { host: '127.0.0.1', port, agent, method, path, headers, signal: AbortSignal.timeout(timeoutMs) },
      (answer) => {
        let text = ''
        answer.on('data', (bytes: Buffer) => (text += bytes.toString('utf8')))
        answer.on('error', reject)
        answer.on('end', () => {
          if (answer.statusCode! < 300) resolve(text)
          else reject(new Error(`${path}: ${answer.statusCode} ${text}`))
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(json)
  })
}
