import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { providers as known } from '../../src/capabilities/providers.ts'
import { tokenx } from '../../src/context.ts'
import { createModels } from '../../src/model.ts'
import { pluginAsCapability } from '../../src/capability/toolkit.ts'
import { prompt } from '../../src/capabilities/prompt/prompt.ts'
import { datePlugin } from '../runtime/date-plugin.ts'
import { type Channel, createRuntime, systemClock } from '../../src/runtime.ts'
import { ownFeatures, ownSettings, withFeatures } from '../home/features.ts'
import { listen, listenOnStandby, type StandbyListener } from '../../src/server.ts'
import { createTestServer as createServer } from '../home/test-server.ts'
import { openStore, type StoreError } from '../../src/session.ts'
import { readAccess, type Tool } from '../../src/tool.ts'

/** Where a turn can stop and say so, so that the process can be killed there. */
export type Place = 'before-effect' | 'after-effect' | 'before-note' | 'before-sending' | 'after-sending'

/** The one argument of this process, as JSON. */
export interface Orders {
  readonly home: string
  /** A scripted Ollama. */
  readonly modelUrl: string
  /** Whether a turn stops at the place that its text or the input of its tool names. */
  readonly stops?: boolean
  /** The address of a PostgreSQL database. The store is in the home unless given. */
  readonly store?: string
  /** Where tools and the channel have their effects. The home unless given. */
  readonly effects?: string
}

const orders = JSON.parse(process.argv[2]!) as Orders
const { home, modelUrl, stops = false, effects = home } = orders

/** Says where it is and on whose behalf. Where that names this place, nothing follows. */
function reach(place: Place, whose: string): Promise<void> {
  process.stdout.write(`${place} ${whose}\n`)
  return stops && whose.includes(place) ? new Promise(() => {}) : Promise.resolve()
}

const letter: Tool = {
  name: 'send_letter',
  inputSchema: { type: 'object' },
  async execute(input, { toolCallId }) {
    await reach('before-effect', JSON.stringify(input))
    appendFileSync(join(effects, 'letters'), `${toolCallId} ${JSON.stringify(input)}\n`)
    await reach('after-effect', JSON.stringify(input))
    return { ok: true, output: 'The letter is on its way.' }
  },
}

const note: Tool = {
  name: 'write_note',
  inputSchema: { type: 'object' },
  idempotent: true,
  async execute(input) {
    appendFileSync(join(home, 'note-runs'), `${JSON.stringify(input)}\n`)
    await reach('before-note', JSON.stringify(input))
    writeFileSync(join(home, 'note'), JSON.stringify(input))
    return { ok: true, output: 'It is noted.' }
  },
}

const pigeon: Channel = {
  name: 'pigeon',
  async deliver({ turn, text }) {
    await reach('before-sending', text)
    appendFileSync(join(home, 'sent'), `${turn} ${text}\n`)
    await reach('after-sending', text)
    return { messageId: `feather of ${turn}` }
  },
}

let port: Promise<StandbyListener> | undefined
const say = (line: string) => process.stdout.write(`${line}\n`)
const store = await openStore({
  clock: systemClock,
  path: orders.store ?? join(home, 'store.sqlite'),
  standby: {
    gateway: { host: 'test', version: '0.1.0' },
    waits(waiting) {
      port = listenOnStandby(waiting, {
        clock: systemClock,
        token: undefined,
        version: 'test',
        port: 0,
        bind: '127.0.0.1',
      })
      void port.then(({ listening }) => say(`listening ${listening.url}`))
    },
  },
})
const opened = await createRuntime({
  version: '0.1.0',
  home,
  store,
  models: createModels({ clock: systemClock, known, providers: { ollama: { kind: 'ollama', baseURL: modelUrl } } }),
  capabilities: [prompt, pluginAsCapability(datePlugin({ timeZone: 'Europe/Berlin' })), ...ownFeatures],
  capabilitySettings: ownSettings(home),
  settings: { model: 'ollama/scripted', layout: 'auto', counter: tokenx, maxSteps: 6, retryDelaysMs: [5, 20] },
  clock: systemClock,
  policy: {
    current: async () => readAccess('{"global": {"mode": "full"}, "tools": {"*": {"afterUntrusted": "allow"}}}', {}),
  },
  tools: [letter, note],
  channels: [pigeon],
})
const runtime = withFeatures(opened)
for (const conversation of ['roof', 'loft']) await runtime.sessionFor({ channel: 'pigeon', conversation })
const server = createServer(runtime, { bind: '127.0.0.1', version: '0.1.0' })
const standby = await port
standby?.serve(server)
const listening = standby?.listening ?? (await listen(server, { port: 0, bind: '127.0.0.1' }))
await store.gateways?.announce(listening.url)
if (!standby) say(`listening ${listening.url}`)
say('works')
// As `foreword start` does.
void store.failed.then((error) => {
  say(`failed ${(error as StoreError).code}`)
  process.exitCode = 4
  setTimeout(() => process.exit(), 2_000)
  return runtime.close().finally(() => process.exit())
})
process.once('SIGTERM', () => {
  void listening.close({ graceMs: 1_000 }).then(async () => {
    await runtime.close()
    process.exit(0)
  })
})
