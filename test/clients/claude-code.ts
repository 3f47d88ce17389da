import type { Program } from './program.ts'

const PREFIX = 'mcp__foreword__'

export const claudeCode: Program = {
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code@2.1.330',
  client: 'claude-code',
  settings: (printed) => ({ path: 'mcp.json', text: printed }),
  args: (text) => {
    const servers = ['--mcp-config', '../mcp.json', '--strict-mcp-config']
    return ['claude', '-p', text, ...servers, '--allowedTools', `${PREFIX}*`]
  },
  environment: (modelUrl) => ({
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'made-up',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }),
  call: (name, input) =>
    name === 'read'
      ? { name: 'ReadMcpResourceTool', input: { server: 'foreword', ...input } }
      : { name: `${PREFIX}${name}`, input },
  ourTools: ({ tools }) => tools.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length)),
  results: ({ body }) =>
    (body['messages'] as readonly { readonly content: unknown }[])
      .flatMap(({ content }) => (Array.isArray(content) ? (content as readonly { readonly type: string }[]) : []))
      .filter(({ type }) => type === 'tool_result')
      .map((block) => JSON.stringify(block)),
  prompt: (name, argument) => `/${PREFIX}${name} ${argument}`,
}
