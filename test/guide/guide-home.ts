import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import type { GatewayConnection } from '../../src/capability.ts'
import { sha256, systemClock } from '../../src/platform.ts'
import { openGatewayTokens } from '../../src/runtime.ts'
import { withTool } from '../../src/tool.ts'
import type { Runtime } from '../home/features.ts'
import { run } from '../cli/recorded-io.ts'
import { servedConnection } from '../cli/served-connection.ts'
import { openedHome, until } from '../home/opened-home.ts'
import { type RequestOptions, served, TOKEN } from '../server/served.ts'
import type { Shown } from './page.ts'

/** A gateway on a home that has everything the pages speak of. */
export interface GuideHome {
  readonly environment: Readonly<Record<string, string>>
  /** A way to it for one command. */
  connection(): GatewayConnection
  request(path: string, options?: RequestOptions): Promise<Response>
  /** The words of a line, with things that are there in the place of SESSION, CALL, AGENT and the others. */
  filled(shown: Shown): Promise<readonly string[]>
}

const policy = {
  global: {
    mode: 'allowlist',
    allowedTools: ['list_files', 'edit_file', 'propose_notes_update', 'read_context', 'log_operation', 'log_gap'],
  },
  tools: { edit_file: { approval: 'ask' } },
  // A change by an editor waits only where something may run beside the gateway without a sandbox.
  sandbox: { enabled: false },
}

/** Files of the folder that the commands are typed in. */
const typedIn: Readonly<Record<string, string>> = {
  'brief.md':
    '# The pier, before sunrise\n\nCold light, long exposure. The haze belongs to it.\n\nTastes: [night, sea]\n',
  'build.log': 'error: the tide is out\n',
  'tides.pdf': 'no real one',
  'charts.md': '# Charts\n',
  'charts.pdf': 'no real one',
  'tides.md': '# Tides\n\nHigh water is at nine.\n',
  'notes.md': '# Notes\n',
  'notes.pdf': 'no real one',
  'scenario.json':
    '{"name": "one", "budget": {"window": 1000, "reserve": 100}, "current": {"id": "t", "messages": []}}',
  'scenarios/one.json':
    '{"name": "one", "budget": {"window": 1000, "reserve": 100}, "current": {"id": "t", "messages": []}}',
}

/** Opens it; `folder` is where the commands are typed. */
export async function openGuideHome(t: TestContext, folder: string): Promise<GuideHome> {
  for (const [path, text] of Object.entries(typedIn)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const { home, runtime, say } = await openedHome(
    t,
    {
      'tool-access.json': JSON.stringify(policy),
      'workspace/log.txt': 'calm\n',
      'skills/alpha/SKILL.md': '---\nname: alpha\ndescription: Tells the first letter.\n---\n\n# Alpha\n',
      'subjects/long/notes.md': 'A line.\n'.repeat(60),
      'tastes/_default.md': '# Always\n\nKeep skin tones natural.\n',
      'tastes/night.md': '# Night\n\nLet the shadows stay dark.\nNo clarity above 20.\n',
      'tastes/sea.md': '# Sea\n\nThe horizon is level.\nNo clarity above 20.\n',
    },
    { subjects: { summarize: true } },
  )
  const tokens = openGatewayTokens({ clock: systemClock, home, store: runtime.store, random: randomBytes })
  const { request } = served(runtime, { tokens })
  const { session, entries } = await say('Hello')
  const turn = entries.flatMap((entry) => (entry.type === 'turn-start' ? [entry.turn] : []))[0]!
  const call = entries.flatMap((entry) => (entry.type === 'assembly' ? [entry.call] : []))[0]!
  await runtime.pairings.redeem((await runtime.pairings.newCode('telegram')).code, {
    channel: 'telegram',
    chat: '11',
    title: 'Ann',
    kind: 'person',
  })
  await run(['check', 'scenarios', '--update'])
  let widenings = 0
  const make = makerOf(runtime, request, join(home, 'subjects'))

  /** What a word in capitals stands for in this line. A new thing each time, where the line changes it. */
  async function valuesOf(text: string): Promise<Readonly<Record<string, string>>> {
    const values: Record<string, string> = { SESSION: session, TURN: turn, CALL: call, CHAT: '11', F: ADDRESS }
    values['T'] = `Authorization: Bearer ${TOKEN}`
    values['J'] = 'Content-Type: application/json'
    if (/\bAGENT\b/.test(text)) values['AGENT'] = await make.record('agents', { prompt: 'Rhyme.' })
    if (/\bPROJECT\b/.test(text)) values['PROJECT'] = await make.record('projects', { instructions: 'Rhyme.' })
    if (/\bFILE\b/.test(text)) values['FILE'] = text.startsWith('curl') ? await make.file() : 'scenario.json'
    if (/\bPROPOSAL\b/.test(text)) Object.assign(values, await make.proposal(text.includes('/undo')))
    if (/\bAPPROVAL\b|approve ID/.test(text)) Object.assign(values, await make.approval())
    if (/\bTOOL\b/.test(text)) Object.assign(values, { TOOL: 'list_files', DIGEST: await make.plan() })
    if (/\bacceptance\b.*tool-access|^foreword accept \S/.test(text)) Object.assign(values, widened())
    return {
      ...values,
      NAME: text.includes('new NAME') ? 'beta' : 'alpha',
      FOLDER: join(home, 'skills/alpha'),
      DIRECTORY: 'scenarios',
    }
  }

  /** An editor allows one more tool, which then waits. */
  function widened() {
    const path = join(home, 'tool-access.json')
    const now = withTool(readFileSync(path, 'utf8'), `later_${(widenings += 1)}`, true)
    writeFileSync(path, now)
    return { DIGEST: sha256(now) }
  }

  return {
    environment: {
      FOREWORD_HOME: home,
      FOREWORD_MODEL: 'rehearsal',
      FOREWORD_GATEWAY_PORT: '0',
      HOME: home,
      NO_COLOR: '1',
      PATH: process.env['PATH'] ?? '',
    },
    connection: () => servedConnection(runtime, 'running'),
    request,
    async filled(shown) {
      const { text, words } = shown
      const values = await valuesOf(text)
      const known = await make.known(shown)
      return words.map((word) =>
        word
          .replaceAll(/\bproposal_[a-z0-9]+\b/g, () => known)
          .replace(/IMG_1\/summary$/, 'long/summary')
          .replaceAll(/\$([FTJ])\b/g, (_, name: string) => values[name]!)
          .replaceAll(/\b[A-Z]{2,}\b/g, (name) => values[name] ?? name)
          .replaceAll('{…}', '{}'),
      )
    },
  }
}

const ADDRESS = 'http://127.0.0.1:4141'

/** Makes things that a line then changes. */
function makerOf(runtime: Runtime, request: GuideHome['request'], subjects: string) {
  let count = 0
  const json = async <T>(path: string, body?: unknown) =>
    (await (await request(path, body === undefined ? {} : { body })).json()) as T
  const propose = async (subject: string) => {
    await runtime.subjects.create(subject).catch(() => {})
    const content = `Line ${++count}.`
    return runtime.proposals.propose({ type: 'notes', subject, content }, { tool: 'propose_notes_update' })
  }
  let pier: string | undefined
  /** A model asks for it, in a turn; nothing else is known of subjects then. */
  const asked = async () => {
    for (const { id } of await runtime.subjects.list()) {
      if (id !== 'pier-at-dawn') rmSync(join(subjects, id), { recursive: true })
    }
    const content = 'The jetty stays a silhouette: no light on the boards.'
    const input = { subject_id: 'pier-at-dawn', content }
    const { session, turn } = await runtime.submit({ text: `/call propose_notes_update ${JSON.stringify(input)}` })
    for await (const { type } of runtime.events(session, { turn })) assert.notEqual(type, 'interrupted')
    return (await runtime.proposals.list({ state: 'waiting' }))[0]!.id
  }
  return {
    record: async (kind: 'agents' | 'projects', fields: object) =>
      (await json<{ id: string }>(`/api/${kind}`, { name: `N${++count}`, ...fields })).id,
    async file() {
      const form = new FormData()
      form.append('file', new Blob(['High water is at nine.\n']), 'tides.md')
      const encoded = new Response(form)
      const headers = { 'content-type': encoded.headers.get('content-type')! }
      const response = await request('/api/files', { body: await encoded.text(), headers })
      const { id } = ((await response.json()) as { files: { id: string }[] }).files[0]!
      await request(`/api/files/${id}?wait=60000`)
      return id
    },
    async proposal(confirmed: boolean) {
      const { id, digest } = await propose('quay')
      if (confirmed) await runtime.proposals.decide(id, { type: 'confirm', digest, by: 'http' })
      return { PROPOSAL: id, DIGEST: digest }
    },
    async approval() {
      const input = { path: 'log.txt', old_text: 'calm', new_text: `calm ${++count}` }
      const { session, turn } = await runtime.submit({ text: `/call edit_file ${JSON.stringify(input)}` })
      const found = await until(async () => {
        const end = (await runtime.store.entries(session, { turn })).find(({ type }) => type === 'turn-end')
        if (end) throw new Error(`the turn did not ask: ${JSON.stringify(end)}`)
        return (await runtime.approvals()).find((each) => each.turn === turn)
      })
      return { APPROVAL: found.approval, ID: found.approval, DIGEST: found.digest }
    },
    async plan() {
      return (await json<{ digest?: string }>('/api/tools/list_files/plan', { input: {} })).digest ?? ''
    },
    /** The proposal that the page of the subjects tells the story of, by the id that it has here. */
    async known({ page, text }: Shown) {
      if (page.endsWith('/subjects.md') && text === 'foreword subjects') pier ??= await asked()
      return pier ?? ''
    },
  }
}
