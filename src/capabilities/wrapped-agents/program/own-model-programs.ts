import { join } from 'node:path'
import { parse } from 'yaml'
import { CommandFailure } from '../../../cli.ts'
import { defined, elementsOf, fieldsOf, parseJson } from '../../../platform.ts'
import {
  providerAddress,
  argsWithModel,
  TOKEN_HEADER,
  TOKEN_VARIABLE,
  withTokenHeader,
  type WrappedProgram,
  type WrappedRun,
} from './wrapped-program.ts'

/** Programs whose own vendor is not in between: they call the provider that they are given. */
export const ownModelPrograms: readonly WrappedProgram[] = [
  {
    name: 'gemini',
    title: 'Gemini CLI',
    command: 'gemini',
    install: 'npm install -g @google/gemini-cli',
    provider: 'google',
    plan(run) {
      const { provider = 'google', token, gatewayKey, environment } = run
      const signIn = geminiSignIn(run)
      if (signIn !== undefined && signIn !== GEMINI_KEY) throw otherSignIn(signIn)
      const headers = environment['GEMINI_CLI_CUSTOM_HEADERS']
      return {
        variables: {
          GOOGLE_GEMINI_BASE_URL: providerAddress(run, provider),
          GEMINI_CLI_CUSTOM_HEADERS: withTokenHeader(headers, token, ', '),
          ...defined({ GEMINI_API_KEY: gatewayKey ? token : undefined }),
        },
        args: argsWithModel(run),
        notes:
          signIn === undefined
            ? [
                'Gemini CLI calls this address with an API key alone: choose it with `/auth`, or write "security": {"auth": {"selectedType": "gemini-api-key"}} into ~/.gemini/settings.json.',
              ]
            : [],
      }
    },
  },
  /** Qwen Code. Settings of the system win over those of the person and of the project. */
  {
    name: 'qwen',
    title: 'Qwen Code',
    command: 'qwen',
    install: 'npm install -g @qwen-code/qwen-code',
    provider: 'openai',
    plan(run) {
      const { provider = 'openai', token, gatewayKey, folder, environment, readText } = run
      const own = environment[QWEN_SETTINGS] || '/etc/qwen-code/settings.json'
      const given = fieldsOf(parseJson(readText(own) ?? ''))
      const [security, models] = [fieldsOf(given['security']), fieldsOf(given['model'])]
      const generation = fieldsOf(models['generationConfig'])
      const auth = provider === 'anthropic' ? 'anthropic' : 'openai'
      const baseUrl = `${providerAddress(run, provider)}${auth === 'anthropic' ? '' : '/v1'}`
      const customHeaders = { ...fieldsOf(generation['customHeaders']), [TOKEN_HEADER]: token }
      const settings = {
        ...given,
        security: { ...security, auth: { ...fieldsOf(security['auth']), selectedType: auth, baseUrl } },
        model: { ...models, generationConfig: { ...generation, customHeaders } },
      }
      const path = join(folder, 'settings.json')
      return {
        variables: {
          [QWEN_SETTINGS]: path,
          ...(gatewayKey ? { [auth === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY']: token } : {}),
        },
        args: argsWithModel(run),
        files: [{ path, text: JSON.stringify(settings) }],
      }
    },
  },
  /** GitHub Copilot CLI with a model of a provider's own: the models of GitHub are behind its own address. */
  {
    name: 'copilot',
    title: 'GitHub Copilot',
    command: 'copilot',
    install: 'npm install -g @github/copilot',
    provider: 'openai',
    plan(run) {
      const { model, window, token, gatewayKey, args, environment } = run
      const isAnthropic = (run.provider ?? environment['COPILOT_PROVIDER_TYPE']) === 'anthropic'
      const provider = run.provider ?? (isAnthropic ? 'anthropic' : 'openai')
      const headers = environment['COPILOT_PROVIDER_HEADERS']
      const key = environment[isAnthropic ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY']
      const hasKey = KEYS_OF_COPILOT.some((name) => environment[name])
      const isChosen =
        model !== undefined || ['COPILOT_MODEL', 'COPILOT_PROVIDER_MODEL_ID'].some((name) => environment[name])
      return {
        variables: {
          COPILOT_PROVIDER_BASE_URL: `${providerAddress(run, provider)}${isAnthropic ? '' : '/v1'}`,
          COPILOT_PROVIDER_TYPE: isAnthropic ? 'anthropic' : 'openai',
          COPILOT_PROVIDER_TRANSPORT: 'http',
          COPILOT_PROVIDER_HEADERS: withTokenHeader(headers, token, '\n'),
          ...(gatewayKey
            ? {
                ...Object.fromEntries(KEYS_OF_COPILOT.map((name) => [name, undefined])),
                COPILOT_PROVIDER_API_KEY: token,
              }
            : defined({ COPILOT_PROVIDER_API_KEY: hasKey ? undefined : key })),
          ...defined({
            COPILOT_MODEL: model,
            COPILOT_PROVIDER_MAX_PROMPT_TOKENS:
              model === undefined || window === undefined ? undefined : String(window),
          }),
        },
        args,
        notes: isChosen ? [] : ['Copilot needs a model of this provider: name it with `--model`.'],
      }
    },
  },
  /** Continue's CLI. A temporary configuration has what the person's own has, with the addresses of the models changed. */
  {
    name: 'continue',
    title: 'Continue',
    command: 'cn',
    install: 'npm install -g @continuedev/cli',
    provider: 'openai',
    plan(run) {
      const { args, folder, environment, readText, token } = run
      const own = join(
        environment['CONTINUE_GLOBAL_DIR'] || join(environment['HOME'] ?? '', '.continue'),
        'config.yaml',
      )
      const given = yamlFields(readText(own))
      const models = continueModels(run, elementsOf(given['models']))
      const path = join(folder, 'config.yaml')
      // Every JSON is YAML, too.
      const text = JSON.stringify({ name: 'foreword', version: '0.0.1', schema: 'v1', ...given, models })
      return {
        variables: { [TOKEN_VARIABLE]: token },
        args: ['--config', path, ...args],
        files: [{ path, text }],
        notes: models.length > 0 ? [] : [`Continue has no model in ${own}: name one with \`--model\`.`],
      }
    },
  },
  /** Cline. A temporary list of providers has the person's own, with their addresses changed. */
  {
    name: 'cline',
    title: 'Cline',
    command: 'cline',
    install: 'npm install -g cline',
    provider: 'openai',
    // It serves later runs, and would do it with the providers of this one.
    leaves: /--cline-hub-daemon\b/,
    plan(run) {
      const { provider, folder, environment, readText } = run
      const home = environment['CLINE_DIR'] || join(environment['HOME'] ?? '', '.cline')
      const data = environment['CLINE_DATA_DIR'] || join(home, 'data')
      const own = environment[CLINE_PROVIDERS] || join(data, 'settings', 'providers.json')
      const given = fieldsOf(parseJson(readText(own) ?? ''))
      const before = fieldsOf(given['providers'])
      const names = provider === undefined ? ['anthropic', 'openai'] : [provider]
      const providers = Object.fromEntries(names.map((name) => clineProvider(run, name, before)))
      const path = join(folder, 'providers.json')
      const chosen = Object.keys(providers)[names.length - 1]!
      const last = given['lastUsedProvider']
      const text = JSON.stringify({
        version: 1,
        modes: {},
        ...given,
        lastUsedProvider: provider === undefined && typeof last === 'string' ? last : chosen,
        providers: { ...before, ...providers },
      })
      return { variables: { [CLINE_PROVIDERS]: path }, args: argsWithModel(run), files: [{ path, text }] }
    },
  },
]

const GEMINI_KEY = 'gemini-api-key'

/** How Gemini CLI signs in, as its variables and its settings say: a project's own win over a person's. */
function geminiSignIn({ environment, directory, readText }: WrappedRun): string | undefined {
  const own = join(environment['GEMINI_CLI_HOME'] || (environment['HOME'] ?? ''), '.gemini', 'settings.json')
  const chosen = [own, join(directory, '.gemini', 'settings.json')].map((file) => {
    const settings = fieldsOf(parseJson(readText(file) ?? ''))
    const type = fieldsOf(fieldsOf(settings['security'])['auth'])['selectedType']
    return typeof type === 'string' ? type : undefined
  })
  return chosen.findLast((type) => type !== undefined)
}

function otherSignIn(type: string): CommandFailure {
  return new CommandFailure(
    'not-supported',
    `Gemini CLI signs in with ${type}: its calls would not go through the gateway.`,
    { hint: 'Choose the API key in it with `/auth`, then run this again.' },
  )
}

const QWEN_SETTINGS = 'QWEN_CODE_SYSTEM_SETTINGS_PATH'

const KEYS_OF_COPILOT = [
  'COPILOT_PROVIDER_API_KEY',
  'COPILOT_PROVIDER_BEARER_TOKEN',
  'COPILOT_PROVIDER_API_KEY_COMMAND',
]

function yamlFields(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(parse(text ?? ''))
  } catch {
    return {}
  }
}

/** Continue reads secrets in its configuration from variables. */
const CONTINUE_TOKEN = `\${{ secrets.${TOKEN_VARIABLE} }}`

/** The models of a configuration that have a provider of ours; the one that was named is the first of them. */
function continueModels(run: WrappedRun, given: readonly unknown[]): readonly object[] {
  const { provider, model, gatewayKey } = run
  const own = given.map((each) => {
    const fields = fieldsOf(each)
    const name = fields['provider']
    return name === 'anthropic' || name === 'openai' ? continueModel(run, name, provider ?? name, fields) : fields
  })
  if (model === undefined) return own
  const kind = provider === 'anthropic' ? 'anthropic' : 'openai'
  const key = gatewayKey ? {} : { apiKey: `\${{ secrets.${kind.toUpperCase()}_API_KEY }}` }
  const first = { name: model, provider: kind, model, roles: ['chat', 'edit', 'apply'], ...key }
  return [continueModel(run, kind, provider ?? kind, first), ...own]
}

function continueModel(
  run: WrappedRun,
  kind: 'anthropic' | 'openai',
  provider: string,
  fields: Readonly<Record<string, unknown>>,
): object {
  const options = fieldsOf(fields['requestOptions'])
  return {
    ...fields,
    apiBase: `${providerAddress(run, provider)}/v1${kind === 'anthropic' ? '/' : ''}`,
    ...defined({ apiKey: run.gatewayKey ? CONTINUE_TOKEN : undefined }),
    requestOptions: { ...options, headers: { ...fieldsOf(options['headers']), [TOKEN_HEADER]: CONTINUE_TOKEN } },
  }
}

const CLINE_PROVIDERS = 'CLINE_PROVIDER_SETTINGS_PATH'

/** A provider as Cline has it, by its own name: all but Anthropic speak OpenAI's format. */
function clineProvider(
  run: WrappedRun,
  name: string,
  before: Readonly<Record<string, unknown>>,
): readonly [name: string, entry: object] {
  const { model, token, gatewayKey, environment } = run
  const id = name === 'anthropic' ? 'anthropic' : 'openai-compatible'
  const entry = fieldsOf(before[id])
  const given = fieldsOf(entry['settings'])
  const key = gatewayKey
    ? token
    : (given['apiKey'] ?? environment[id === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY'])
  const settings = {
    ...given,
    provider: id,
    ...defined({ apiKey: key, model }),
    baseUrl: `${providerAddress(run, name)}/v1`,
    headers: { ...fieldsOf(given['headers']), [TOKEN_HEADER]: token },
  }
  return [id, { updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual', ...entry, settings }]
}
