import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { type ScriptedProvider, type ScriptedProviderOptions, scriptedProvider } from '../../src/testing.ts'
import { temporaryHome } from '../cli/home.ts'

export interface AcpHome {
  readonly home: string
  readonly workspace: string
  readonly environment: Readonly<Record<string, string>>
}

/** A home with `rehearsal` whose tools may do everything, after asking where they ask. Files by their path in the home. */
export function acpHome(context: TestContext, files: Readonly<Record<string, string>> = {}): AcpHome {
  const { home, environment } = temporaryHome(context)
  const workspace = join(home, 'workspace')
  mkdirSync(workspace, { recursive: true, mode: 0o700 })
  const shell = { enabled: true, allowedPrefixes: ['cat'], afterUntrusted: 'ask' }
  const access = { global: { mode: 'full' }, sandbox: { withoutIt: 'run' }, tools: { shell } }
  for (const [name, text] of Object.entries({ 'tool-access.json': JSON.stringify(access), ...files })) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  return { home, workspace, environment }
}

/** The same with a provider of a script, whose model sees images and has a price. */
export async function scriptedHome(
  context: TestContext,
  options: ScriptedProviderOptions,
  configuration: Readonly<Record<string, unknown>> = {},
): Promise<AcpHome & { readonly provider: ScriptedProvider }> {
  const provider = await scriptedProvider(options)
  context.after(() => provider.close())
  const model = { window: 16_384, vision: true, price: { input: 10, output: 50 } }
  const home = acpHome(context, {
    'config.json': JSON.stringify({
      providers: { elsewhere: { kind: 'openai-compatible', baseURL: `${provider.url}/v1` } },
      models: { 'elsewhere/any': model },
      ...configuration,
    }),
  })
  return { ...home, environment: { ...home.environment, FOREWORD_MODEL: 'elsewhere/any' }, provider }
}
