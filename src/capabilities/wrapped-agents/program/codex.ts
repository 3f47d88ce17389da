import { providerAddress, TOKEN_VARIABLE, type WrappedProgram, type WrappedRun } from './wrapped-program.ts'

/**
 * Settings of one run are arguments, which win over its files and keep its terminal from the daemon. Sessions stay
 * those of its provider `openai`, so that they can be resumed without the gateway. The token is in no argument,
 * because other users can list these: it is in the variable for the project, which that provider sends as a header.
 */
export const codexProgram: WrappedProgram = {
  name: 'codex',
  title: 'Codex',
  command: 'codex',
  install: 'npm install -g @openai/codex',
  provider: 'openai',
  outlives: /\bcodex\b.*\bapp-server\b/,
  plan(run) {
    const { provider = 'openai', model, window, args, token, environment, gatewayKey } = run
    const isOwnProvider = !gatewayKey && provider === 'openai'
    const project = environment[PROJECT] ?? ''
    const [variable, value, before] = isOwnProvider
      ? [PROJECT, tokenBesideProject(token, project), project]
      : [TOKEN_VARIABLE, token, '']
    const settings: readonly (readonly [key: string, value: string | number])[] = [
      ...(isOwnProvider ? [['openai_base_url', `${providerAddress(run, provider)}/v1`] as const] : ownProvider(run)),
      // Codex writes the variables of its commands into files, which stay where it is killed: without this one.
      [`shell_environment_policy.set.${variable}`, before],
      ...(model === undefined ? [] : [['model', model] as const]),
      ...(model === undefined || window === undefined ? [] : [['model_context_window', window] as const]),
    ]
    return {
      variables: { [variable]: value },
      args: [...settings.flatMap(([key, each]) => ['-c', `${key}=${JSON.stringify(each)}`]), ...args],
      notes: isOwnProvider ? [] : ['Sessions of this run can be resumed only with the same `foreword wrap codex`.'],
    }
  },
}

/** Its provider `openai` sends this variable as the header `openai-project`. */
const PROJECT = 'OPENAI_PROJECT'

/** The gateway takes the token out again (`relay/gateway-token.ts`). */
function tokenBesideProject(token: string, project: string): string {
  return `foreword:${token}${project === '' ? '' : `:${project}`}`
}

/** A provider beside those of Codex, which takes its key from a variable. */
function ownProvider(run: WrappedRun): readonly (readonly [key: string, value: string])[] {
  const table = 'model_providers.foreword'
  return [
    ['model_provider', 'foreword'],
    [`${table}.name`, 'Foreword'],
    [`${table}.base_url`, `${providerAddress(run, run.provider ?? 'openai')}/v1`],
    [`${table}.env_key`, TOKEN_VARIABLE],
    [`${table}.wire_api`, 'responses'],
  ]
}
