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

/** Where this process stops and says so, so that it can be killed there. */
export type Place = 'before-effect' | 'after-effect' | 'before-note' | 'before-sending' | 'after-sending'

/** The one argument of this process, as JSON. */
export interface Orders {
  readonly home: string
  /** A scripted Ollama. */
  readonly modelUrl: string
  readonly stopAt?: Place
}

const orders = JSON.parse(process.argv[2]!) as Orders
const { home, modelUrl, stopAt } = orders

/** Says where it is; at the place it was told to stop at, nothing follows. */
function reach(place: Place): Promise<void> {
  process.stdout.write(`${place}\n`)
  return place === stopAt ? new Promise(() => {}) : Promise.resolve()
}

const letter: Tool = {
  name: 'send_letter',
  inputSchema: { type: 'object' },
  async execute(input, { toolCallId }) {
    await reach('before-effect')
    appendFileSync(join(home, 'letters'), `${toolCallId} ${JSON.stringify(input)}\n`)
    await reach('after-effect')
    return { ok: true, output: 'The letter is on its way.' }
  },
}

const note: Tool = {
  name: 'write_note',
  inputSchema: { type: 'object' },
  idempotent: true,
  async execute(input) {
    appendFileSync(join(home, 'note-runs'), 'run\n')
    await reach('before-note')
    writeFileSync(join(home, 'note'), JSON.stringify(input))
    return { ok: true, output: 'It is noted.' }
  },
}

const pigeon: Channel = {
  name: 'pigeon',
  async deliver({ turn, text }) {
    await reach('before-sending')
    appendFileSync(join(home, 'sent'), `${turn} ${text}\n`)
    await reach('after-sending')
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
await runtime.sessionFor({ channel: 'pigeon', conversation: 'roof' })
const server = createServer(runtime, { bind: '127.0.0.1', version: '0.1.0' })
const { url } = await listen(server, { port: 0, bind: '127.0.0.1' })
process.stdout.write(`listening ${url}\n`)
