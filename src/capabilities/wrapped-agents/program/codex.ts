import { join } from 'node:path'
import { type RunPlan, providerAddressWithToken, type WrappedProgram, type WrappedRun } from './wrapped-program.ts'

/**
 * Codex. A temporary profile has the address: it is in no process list, and sessions stay those of the provider `openai`, so that
 * they can be resumed without the gateway. With a profile, its terminal talks to no daemon.
 */
export const codexProgram: WrappedProgram = {
  name: 'codex',
  title: 'Codex',
  command: 'codex',
  install: 'npm install -g @openai/codex',
  provider: 'openai',
  outlives: /\bcodex\b.*\bapp-server\b/,
  plan(run) {
    const home = run.environment['CODEX_HOME'] || join(run.environment['HOME'] ?? '', '.codex')
    const { profile, args } = withoutProfile(run.args)
    const name = run.id
    const theirs = profile === undefined ? '' : (run.readText(join(home, `${profile}.config.toml`)) ?? '')
    const isOwnProvider = !run.gatewayKey && (run.provider ?? 'openai') === 'openai'
    return {
      variables: isOwnProvider ? {} : { [KEY]: run.token },
      args: ['--profile', name, ...args],
      files: [{ path: join(home, `${name}.config.toml`), text: profileText(run, theirs, isOwnProvider) }],
      notes: isOwnProvider ? [] : ['Sessions of this run can be resumed only with the same `foreword wrap codex`.'],
    }
  },
}

/** Names the token for a provider that is not Codex' own. */
const KEY = 'FOREWORD_WRAP_TOKEN'

/** Keys of a table come last in a TOML text, and a key is in it once. */
function profileText(run: WrappedRun, theirs: string, isOwnProvider: boolean): string {
  const { provider = 'openai', model, window } = run
  const address = JSON.stringify(`${providerAddressWithToken(run, provider)}/v1`)
  const set: readonly (readonly [string, string])[] = [
    ...(isOwnProvider ? [['openai_base_url', address] as const] : [['model_provider', '"foreword"'] as const]),
    ...(model === undefined ? [] : [['model', JSON.stringify(model)] as const]),
    ...(model === undefined || window === undefined ? [] : [['model_context_window', String(window)] as const]),
  ]
  const names = set.map(([key]) => key)
  const rest = theirs.split('\n').filter((line) => !names.includes(/^\s*(\w+)\s*=/.exec(line)?.[1] ?? ''))
  const table = isOwnProvider
    ? []
    : [
        '',
        '[model_providers.foreword]',
        'name = "Foreword"',
        `base_url = ${address}`,
        `env_key = "${KEY}"`,
        'wire_api = "responses"',
        '',
      ]
  return [...set.map(([key, value]) => `${key} = ${value}`), ...rest, ...table].join('\n')
}

/** The profile that a person chose, and the other arguments. */
function withoutProfile(args: readonly string[]): { readonly profile?: string; readonly args: RunPlan['args'] } {
  const at = args.findIndex((word) => word === '-p' || word === '--profile' || word.startsWith('--profile='))
  const end = args.indexOf('--')
  if (at === -1 || (end !== -1 && end < at)) return { args }
  const word = args[at]!
  const length = word.startsWith('--profile=') ? 1 : 2
  const profile = length === 1 ? word.slice('--profile='.length) : args[at + 1]
  return { ...(profile === undefined ? {} : { profile }), args: args.toSpliced(at, length) }
}
