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
import { listen } from '../../src/server.ts'
import { createTestServer as createServer } from '../home/test-server.ts'
import { openStore } from '../../src/session.ts'
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
}

const orders = JSON.parse(process.argv[2]!) as Orders
const { home, modelUrl, stops = false } = orders

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
    appendFileSync(join(home, 'letters'), `${toolCallId} ${JSON.stringify(input)}\n`)
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

const store = await openStore({ clock: systemClock, path: join(home, 'store.sqlite') })
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
const { url } = await listen(server, { port: 0, bind: '127.0.0.1' })
process.stdout.write(`listening ${url}\n`)
