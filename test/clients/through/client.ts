import type { ScriptedAnswer, ScriptedRequest } from '../../../src/testing.ts'

/** A real program that is run through the gateway without a person and without the internet. */
export interface Client {
  /** As in `foreword wrap NAME`. */
  readonly name: string
  readonly package: string
  /** The provider that it is run with. */
  readonly provider: 'anthropic' | 'openai' | 'google'
  /** As `foreword wrap --model` is given it. */
  readonly model?: string
  /** What its command is called with to say something, first and in the same conversation again. */
  readonly turn: (text: string) => readonly string[]
  /** Absent where it goes on only in a terminal. */
  readonly resume?: (text: string) => readonly string[]
  /** Whether a call is one of the conversation, rather than for a title. */
  readonly isTurn: (request: ScriptedRequest) => boolean
  /** The call of its tool that reads a file of its folder. */
  readonly read: (path: string) => NonNullable<ScriptedAnswer['toolCalls']>[number]
  /** Whether a call has the result of a tool. */
  readonly hasResult: (request: ScriptedRequest) => boolean
  readonly environment?: Readonly<Record<string, string>>
  /** Files of its home that it needs: what a person chose in it once. */
  readonly files?: Readonly<Record<string, string>>
}

const isMessagesTurn = ({ tools }: ScriptedRequest) => tools.length > 0
const hasToolMessage = ({ bytes }: ScriptedRequest) => /"role":\s*"tool"/.test(bytes.toString())
const hasToolResult = ({ bytes }: ScriptedRequest) => /"type":\s*"tool_result"/.test(bytes.toString())

/** OpenClaw goes on with a conversation of its own choice; a key names another one. */
const inConversation = (key: string, text: string) =>
  `agent --local --agent main --session-key agent:main:${key} --model anthropic/claude-sonnet-5 --message`
    .split(' ')
    .concat(text)
const keyOf = (text: string) => text.replaceAll(/\W+/g, '-')

export const clients: readonly Client[] = [
  {
    name: 'claude',
    package: '@anthropic-ai/claude-code@2.1.331',
    provider: 'anthropic',
    turn: (text) => ['-p', text, '--allowedTools', 'Read'],
    resume: (text) => ['-c', '-p', text],
    isTurn: isMessagesTurn,
    read: (path) => ({ name: 'Read', input: { file_path: path } }),
    hasResult: hasToolResult,
    environment: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
  },
  {
    name: 'codex',
    package: '@openai/codex@0.169.0',
    provider: 'openai',
    turn: (text) => ['exec', '-m', 'scripted', '-s', 'danger-full-access', '--skip-git-repo-check', text],
    resume: (text) => ['exec', 'resume', '--last', '-m', 'scripted', '--skip-git-repo-check', text],
    isTurn: ({ tools }) => tools.length > 0,
    read: (path) => ({ name: 'exec_command', input: { cmd: `cat ${path}` } }),
    hasResult: ({ bytes }) => bytes.toString().includes('function_call_output'),
  },
  {
    name: 'opencode',
    package: 'opencode-ai@1.18.33',
    provider: 'anthropic',
    turn: (text) => ['run', text, '-m', 'anthropic/claude-sonnet-4-5'],
    resume: (text) => ['run', '-c', text, '-m', 'anthropic/claude-sonnet-4-5'],
    isTurn: isMessagesTurn,
    read: (path) => ({ name: 'read', input: { filePath: path } }),
    hasResult: hasToolResult,
  },
  {
    name: 'pi',
    package: '@earendil-works/pi-coding-agent@0.87.1',
    provider: 'anthropic',
    turn: (text) => ['--provider', 'anthropic', '--model', 'claude-sonnet-4-5', '-p', text],
    resume: (text) => ['-c', '--provider', 'anthropic', '--model', 'claude-sonnet-4-5', '-p', text],
    isTurn: isMessagesTurn,
    read: (path) => ({ name: 'read', input: { path } }),
    hasResult: hasToolResult,
  },
  {
    name: 'openclaw',
    package: 'openclaw@2026.9.6',
    provider: 'anthropic',
    turn: (text) => inConversation(keyOf(text), text),
    resume: (text) => inConversation(keyOf('read notes.md'), text),
    isTurn: isMessagesTurn,
    read: (path) => ({ name: 'read', input: { path } }),
    hasResult: hasToolResult,
    // With a key of OpenAI, it computes embeddings of its workspace beside its turns.
    environment: { OPENAI_API_KEY: '' },
  },
  {
    name: 'gemini',
    package: '@google/gemini-cli@0.61.0',
    provider: 'google',
    model: 'gemini-2.5-pro',
    turn: (text) => ['-p', text],
    resume: (text) => ['--resume', 'latest', '-p', text],
    isTurn: ({ tools }) => tools.length > 0,
    read: (path) => ({ name: 'read_file', input: { file_path: path } }),
    hasResult: ({ bytes }) => bytes.toString().includes('functionResponse'),
    environment: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    files: { '.gemini/settings.json': '{ "security": { "auth": { "selectedType": "gemini-api-key" } } }' },
  },
  {
    name: 'qwen',
    package: '@qwen-code/qwen-code@0.24.4',
    provider: 'openai',
    model: 'scripted',
    turn: (text) => ['-p', text],
    resume: (text) => ['-c', '-p', text],
    // After a turn, an agent of its own looks for what is worth remembering.
    isTurn: ({ tools, bytes }) => tools.length > 0 && !bytes.includes('memory extraction subagent'),
    read: (path) => ({ name: 'read_file', input: { file_path: path } }),
    hasResult: hasToolMessage,
  },
  {
    name: 'copilot',
    package: '@github/copilot@1.0.102',
    provider: 'openai',
    model: 'scripted',
    turn: (text) => ['-p', text, '--allow-all-tools'],
    resume: (text) => ['--continue', '-p', text, '--allow-all-tools'],
    isTurn: ({ tools }) => tools.length > 0,
    read: (path) => ({ name: 'view', input: { path } }),
    hasResult: hasToolMessage,
    environment: { COPILOT_OFFLINE: 'true' },
  },
  {
    name: 'continue',
    package: '@continuedev/cli@1.5.47',
    provider: 'openai',
    model: 'scripted',
    turn: (text) => ['-p', text],
    resume: (text) => ['--resume', '-p', text],
    isTurn: ({ tools }) => tools.length > 0,
    read: (path) => ({ name: 'Read', input: { filepath: path } }),
    hasResult: hasToolMessage,
  },
  {
    name: 'cline',
    package: 'cline@3.0.65',
    provider: 'openai',
    model: 'scripted',
    // A single word would be one of its commands.
    turn: (text) => [`please ${text}`],
    isTurn: ({ tools }) => tools.length > 0,
    read: (path) => ({ name: 'read_files', input: { files: [{ path }] } }),
    hasResult: hasToolMessage,
  },
]
