import type { Program } from './program.ts'

const NAMESPACE = 'mcp__foreword'

export const codex: Program = {
  title: 'Codex',
  package: '@openai/codex@0.169.0',
  client: 'codex',
  settings: (printed, modelUrl) => ({
    path: 'home/.codex/config.toml',
    text: `${modelSettings(modelUrl)}\n${printed}`,
  }),
  args: (text) => ['codex', 'exec', '--json', '--skip-git-repo-check', text],
  environment: () => ({ SCRIPTED_KEY: 'made-up' }),
  call: (name, input) =>
    name === 'read'
      ? { name: 'read_mcp_resource', input: { server: 'foreword', ...input } }
      : { namespace: NAMESPACE, name, input },
  ourTools: ({ body }) =>
    (body['tools'] as readonly { readonly name?: string; readonly tools?: readonly { readonly name: string }[] }[])
      .filter(({ name }) => name === NAMESPACE)
      .flatMap(({ tools = [] }) => tools.map(({ name }) => name)),
  results: ({ body }) =>
    (body['input'] as readonly { readonly type: string }[])
      .filter(({ type }) => type === 'function_call_output')
      .map((item) => JSON.stringify(item)),
}

function modelSettings(modelUrl: string): string {
  return [
    'model = "scripted"',
    'model_provider = "scripted"',
    '[model_providers.scripted]',
    'name = "scripted"',
    `base_url = "${modelUrl}/v1"`,
    'env_key = "SCRIPTED_KEY"',
    'wire_api = "responses"',
  ].join('\n')
}
