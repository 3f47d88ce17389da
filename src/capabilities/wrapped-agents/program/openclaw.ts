import { delimiter, dirname, join } from 'node:path'
import { defined } from '../../../platform.ts'
import {
  providerAddress,
  TOKEN_HEADER,
  TOKEN_VARIABLE,
  type WrappedProgram,
  type WrappedRun,
} from './wrapped-program.ts'

/** OpenClaw. A temporary configuration includes the person's own and lays the addresses over it. */
export const openclawProgram: WrappedProgram = {
  name: 'openclaw',
  title: 'OpenClaw',
  command: 'openclaw',
  install: 'npm install -g openclaw',
  provider: 'anthropic',
  plan(run) {
    const { provider, model, environment, folder, args } = run
    const own = environment['OPENCLAW_CONFIG_PATH'] || join(environment['HOME'] ?? '', '.openclaw', 'openclaw.json')
    const path = join(folder, 'openclaw.json')
    const names = provider === undefined ? ['anthropic', 'openai'] : [provider]
    const text = JSON.stringify({
      ...(run.readText(own) === undefined ? {} : { $include: own }),
      models: {
        mode: 'merge',
        providers: Object.fromEntries(names.map((name) => [name, providerSettings(run, name)])),
      },
      ...(model === undefined
        ? {}
        : { agents: { defaults: { model: { primary: model.includes('/') ? model : `${names[0]}/${model}` } } } }),
    })
    // Files outside of the folder of the configuration are included only from these.
    const roots = [environment['OPENCLAW_INCLUDE_ROOTS'], dirname(own)].filter(Boolean).join(delimiter)
    return {
      variables: { OPENCLAW_CONFIG_PATH: path, OPENCLAW_INCLUDE_ROOTS: roots, [TOKEN_VARIABLE]: run.token },
      args,
      files: [{ path, text }],
      notes: [
        'A gateway of OpenClaw that runs already keeps its addresses: with `agent --local` the run makes its calls itself.',
      ],
    }
  },
}

/** Of a model that is not in its own list, it believes that it speaks Chat Completions unless it is told. */
const APIS: Readonly<Record<string, string>> = { anthropic: 'anthropic-messages', openai: 'openai-responses' }

/** It keeps copies of its configuration: these have the name of the variable. */
const TOKEN = `\${${TOKEN_VARIABLE}}`

function providerSettings(run: WrappedRun, name: string): object {
  const ending = name === 'anthropic' ? '' : '/v1'
  return {
    ...defined({ api: APIS[name] }),
    baseUrl: `${providerAddress(run, name)}${ending}`,
    headers: { [TOKEN_HEADER]: TOKEN },
    ...(run.gatewayKey ? { apiKey: TOKEN } : {}),
  }
}
