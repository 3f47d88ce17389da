import { join } from 'node:path'
import { defined } from '../../../platform.ts'
import { providerAddress, TOKEN_HEADER, type WrappedProgram, type WrappedRun } from './wrapped-program.ts'

const VARIABLE = 'FOREWORD_WRAP_PROVIDERS'

/** pi. A temporary extension changes the addresses of its providers; the models and keys of these stay. */
export const piProgram: WrappedProgram = {
  name: 'pi',
  title: 'pi',
  command: 'pi',
  install: 'npm install -g @earendil-works/pi-coding-agent',
  provider: 'anthropic',
  plan(run) {
    const { provider, model, args, folder } = run
    const path = join(folder, 'foreword.mjs')
    const names = provider === undefined ? Object.keys(ENDINGS) : [provider]
    const providers = Object.fromEntries(names.map((name) => [name, providerSettings(run, name)]))
    return {
      variables: { [VARIABLE]: JSON.stringify(providers) },
      args: [
        '--extension',
        path,
        ...(provider === undefined ? [] : ['--provider', provider]),
        ...(model === undefined ? [] : ['--model', model]),
        ...args,
      ],
      files: [{ path, text: EXTENSION }],
    }
  },
}

/** What its clients of an API want behind the address. */
const ENDINGS: Readonly<Record<string, string>> = { anthropic: '', openai: '/v1' }

function providerSettings(run: WrappedRun, name: string): object {
  const { token, gatewayKey } = run
  return {
    baseUrl: `${providerAddress(run, name)}${ENDINGS[name] ?? '/v1'}`,
    headers: { [TOKEN_HEADER]: token },
    ...defined({ apiKey: gatewayKey ? token : undefined }),
  }
}

const EXTENSION = `// Of one run of \`foreword wrap pi\`.
export default function (pi) {
  const providers = JSON.parse(process.env.${VARIABLE} ?? '{}')
  for (const [name, settings] of Object.entries(providers)) pi.registerProvider(name, settings)
}
`
