import { providerAddressWithToken, type WrappedProgram } from './wrapped-program.ts'

export const aiderProgram: WrappedProgram = {
  name: 'aider',
  title: 'aider',
  command: 'aider',
  install: 'python -m pip install aider-install && aider-install',
  provider: 'openai',
  plan(run) {
    const { provider, model, args, token, gatewayKey } = run
    const openai = `${providerAddressWithToken(run, provider ?? 'openai')}/v1`
    const anthropic = providerAddressWithToken(run, provider ?? 'anthropic')
    return {
      variables: {
        OPENAI_API_BASE: openai,
        OPENAI_BASE_URL: openai,
        ANTHROPIC_API_BASE: anthropic,
        ANTHROPIC_BASE_URL: anthropic,
        ...(gatewayKey ? { OPENAI_API_KEY: token, ANTHROPIC_API_KEY: token } : {}),
      },
      args: [...(model === undefined ? [] : ['--model', model]), ...args],
    }
  },
}
