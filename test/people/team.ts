import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createForeword, type Foreword, type ForewordOptions } from '../../src/foreword.ts'

interface AskOptions {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Somebody who sends requests to a gateway. */
export interface Asker {
  readonly name: string
  request(path: string, options?: AskOptions): Promise<Response>
  /** Fails unless it succeeds. */
  json<Answer = Record<string, unknown>>(path: string, options?: AskOptions): Promise<Answer>
  /** Sends a form, and resolves with what the gateway made of it. */
  upload(path: string, form: FormData): Promise<{ readonly files: readonly { readonly id: string }[] }>
}

/** A gateway with an owner, and with people who have accepted their invitations. */
export interface Team {
  readonly foreword: Foreword
  readonly home: string
  readonly owner: Asker
  readonly warnings: readonly string[]
  /** Adds somebody, and signs a browser in with the invitation. */
  add(name: string, role?: 'member' | 'guest'): Promise<Asker>
  /** Somebody with the cookie or token of these headers. */
  asker(name: string, headers: Readonly<Record<string, string>>): Asker
  /** Ends the gateway, and opens another one over the same home. */
  restart(): Promise<void>
}

const ORIGIN = 'http://127.0.0.1:4141'

export async function openTeam(
  t: TestContext,
  configuration: object = {},
  /** Files of the home, by their names. */
  files: Readonly<Record<string, string>> = {},
  capabilities?: ForewordOptions['capabilities'],
): Promise<Team> {
  const home = mkdtempSync(join(tmpdir(), 'foreword-team-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const warnings: string[] = []
  const open = () =>
    createForeword({
      home,
      configuration: { model: 'rehearsal', ...configuration },
      environment: { OLLAMA_HOST: '127.0.0.1:1', PATH: process.env['PATH'] },
      warn: (text) => void warnings.push(text),
      ...(capabilities && { capabilities }),
    })
  let foreword = await open()
  t.after(() => foreword.close())

  const asker = (name: string, own: Readonly<Record<string, string>>): Asker => {
    const request: Asker['request'] = (path, { method, body, headers } = {}) =>
      foreword.server.fetch(
        new Request(`${ORIGIN}${path}`, {
          method: method ?? (body === undefined ? 'GET' : 'POST'),
          headers: { ...own, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
          ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
      )
    return {
      name,
      request,
      async json<Answer>(path: string, options?: AskOptions) {
        const response = await request(path, options)
        const text = await response.text()
        assert.ok(response.ok, `${name} ${path}: ${response.status} ${text}`)
        return (text === '' ? undefined : JSON.parse(text)) as Answer
      },
      async upload(path, form) {
        const init = { method: 'POST', headers: own, body: form }
        const response = await foreword.server.fetch(new Request(`${ORIGIN}${path}`, init))
        const text = await response.text()
        assert.ok(response.ok, `${name} ${path}: ${response.status} ${text}`)
        return JSON.parse(text) as { readonly files: readonly { readonly id: string }[] }
      },
    }
  }
  const owner = asker('owner', { authorization: `Bearer ${foreword.token}` })
  return {
    get foreword() {
      return foreword
    },
    home,
    owner,
    warnings,
    asker,
    async add(name, role = 'member') {
      const { invitation } = await owner.json<{ readonly invitation: { readonly path: string } }>('/api/people', {
        body: { name, role },
      })
      const response = await foreword.server.fetch(new Request(`${ORIGIN}${invitation.path}`))
      assert.equal(response.status, 303)
      return asker(name, { cookie: response.headers.get('set-cookie')!.split(';')[0]! })
    },
    async restart() {
      await foreword.close()
      foreword = await open()
    },
  }
}

/** Says something in a session, or in a new one, and waits until it is answered. Resolves with the session. */
export async function say(who: Asker, text: string, session?: string): Promise<string> {
  const path = session === undefined ? '/api/messages' : `/api/sessions/${session}/messages`
  const accepted = await who.json<{ readonly session: string; readonly turn: string }>(path, { body: { text } })
  await untilIdle(who)
  return accepted.session
}

export async function untilIdle(who: Asker): Promise<void> {
  await who.json('/api/status?wait=idle')
}
