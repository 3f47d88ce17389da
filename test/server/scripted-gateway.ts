import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { builtIn } from '../../src/foreword.ts'
import { loadConfiguration, openGatewayTokens } from '../../src/runtime.ts'
import { listen } from '../../src/server.ts'
import { scriptedProvider, type ScriptedProviderOptions } from '../../src/testing.ts'
import { openRuntime } from '../home/features.ts'
import { createTestServer as createServer } from '../home/test-server.ts'
import { TOKEN } from './served.ts'
import { systemClock } from '../../src/platform.ts'

/** What a test chooses of a gateway. */
export interface GatewayChoices extends Pick<ScriptedProviderOptions, 'answer'> {
  readonly configuration?: object
}

/** A whole gateway on a port, in front of a scripted server. `configure` makes its configuration from the address of that server. */
export async function scriptedGateway(
  t: TestContext,
  answer: ScriptedProviderOptions['answer'],
  configure: (url: string) => object,
) {
  const provider = await scriptedProvider(answer ? { answer } : {})
  const home = mkdtempSync(join(tmpdir(), 'foreword-gateway-'))
  writeFileSync(join(home, 'config.json'), JSON.stringify(configure(provider.url)))
  const { configuration } = await loadConfiguration({ home, capabilities: builtIn, environment: {} })
  const environment = { KEY: 'sk-test-0123456789' }
  const runtime = await openRuntime({ capabilities: builtIn, home, configuration, environment, version: '0.1.0' })
  const tokens = openGatewayTokens({ clock: systemClock, home, store: runtime.store, random: randomBytes })
  const server = createServer(runtime, { token: TOKEN, tokens, bind: '127.0.0.1', version: '0.1.0' })
  const { url, close } = await listen(server, { port: 0, bind: '127.0.0.1' })
  t.after(async () => {
    await close({ graceMs: 500 })
    await runtime.close()
    await provider.close()
    rmSync(home, { recursive: true, force: true })
  })
  return { url, provider, runtime, tokens, home }
}
