import { defined } from '../../../platform.ts'
import { isRecord, parseJson } from '../json-text.ts'
import { providerAddress, TOKEN_HEADER, type WrappedProgram, type WrappedRun } from './wrapped-program.ts'

const VARIABLE = 'OPENCODE_CONFIG_CONTENT'

export const opencodeProgram: WrappedProgram = {
  name: 'opencode',
  title: 'opencode',
  command: 'opencode',
  install: 'npm install -g opencode-ai',
  provider: 'anthropic',
  plan(run) {
    const { provider, model, environment } = run
    const given = parseJson(environment[VARIABLE] ?? '{}')
    const before = isRecord(given) ? given : {}
    const providers = isRecord(before['provider']) ? before['provider'] : {}
    const names = provider === undefined ? ['anthropic', 'openai'] : [provider]
    const content = {
      ...before,
      provider: {
        ...providers,
        ...Object.fromEntries(names.map((name) => [name, providerSettings(run, name, providers[name])])),
      },
      ...(model === undefined ? {} : { model: model.includes('/') ? model : `${names[0]}/${model}` }),
    }
    return { variables: { [VARIABLE]: JSON.stringify(content) }, args: run.args }
  },
}

function providerSettings(run: WrappedRun, name: string, given: unknown): object {
  const before = isRecord(given) ? given : {}
  const options = isRecord(before['options']) ? before['options'] : {}
  const headers = isRecord(options['headers']) ? options['headers'] : {}
  return {
    ...before,
    options: {
      ...options,
      baseURL: `${providerAddress(run, name)}/v1`,
      headers: { ...headers, [TOKEN_HEADER]: run.token },
      ...defined({ apiKey: run.gatewayKey ? run.token : undefined }),
    },
  }
}
