import { basename, dirname, join } from 'node:path'
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
    const { provider, model, environment, args } = run
    const state = environment['OPENCLAW_STATE_DIR'] || join(environment['HOME'] ?? '', '.openclaw')
    const own = environment['OPENCLAW_CONFIG_PATH'] || join(state, 'openclaw.json')
    // Folders of skills are beside the configuration, and their paths are in the prompt: elsewhere, each run would change it.
    const path = join(dirname(own), `${run.id}.json`)
    const names = provider === undefined ? ['anthropic', 'openai'] : [provider]
    const text = JSON.stringify({
      ...(run.readText(own) === undefined ? {} : { $include: `./${basename(own)}` }),
      models: {
        mode: 'merge',
        providers: Object.fromEntries(names.map((name) => [name, providerSettings(run, name)])),
      },
      ...(model === undefined
        ? {}
        : { agents: { defaults: { model: { primary: model.includes('/') ? model : `${names[0]}/${model}` } } } }),
    })
    return {
      variables: { OPENCLAW_CONFIG_PATH: path, [TOKEN_VARIABLE]: run.token },
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
