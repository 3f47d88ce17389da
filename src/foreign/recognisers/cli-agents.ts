import { contextFile } from './general.ts'
import { type Recogniser, tag } from './recogniser.ts'

/** Gemini CLI, versions 0.6. It sends no id of its session. */
const geminiCli: Recogniser = {
  client: 'gemini-cli',
  signs: [{ header: 'user-agent', pattern: /^GeminiCLI(?:-[\w-]{1,40})?\/(?<version>[\w.-]{1,40})/ }],
  kinds: [
    { kind: 'compaction', system: ['distilling chat history into a structured XML <state_snapshot>'] },
    { kind: 'compaction', last: ['generate the <state_snapshot>', 'evaluate the <state_snapshot>'] },
  ],
  sections: [
    // The files of instructions are within it.
    { layer: 'environment', ...tag('session_context'), where: ['user'], inner: [contextFile] },
  ],
}

const reminder = { ...tag('system-reminder'), where: ['user'] as const }

/** Qwen Code, versions 0.2. It sends no id of its session. */
const qwenCode: Recogniser = {
  client: 'qwen-code',
  signs: [{ header: 'user-agent', pattern: /^QwenCode\/(?<version>[\w.-]{1,40})/ }, { prompt: 'You are Qwen Code,' }],
  kinds: [
    { kind: 'compaction', last: ['produce the <state_snapshot> XML', 'generate the <state_snapshot>'] },
    { kind: 'sub-agent', system: ['acting as the managed memory extraction subagent'] },
  ],
  sections: [
    { layer: 'memory', begin: '## /', holds: 'MEMORY.md', where: ['system'] },
    { layer: 'skills', ...reminder, holds: 'skills are available' },
    { layer: 'environment', ...reminder, holds: 'setting up the context for our chat' },
    { layer: 'environment', ...reminder, holds: 'The current date is' },
    { layer: 'deferred-tools', ...reminder, holds: 'tools are reachable through' },
  ],
}

/** GitHub Copilot CLI, versions 1, with a model of a provider's own. Its session is in its prompt alone. */
const copilotCli: Recogniser = {
  client: 'copilot-cli',
  signs: [{ prompt: 'You are the GitHub Copilot CLI' }],
  session: [{ said: 'system', pattern: /^Session folder: [^\n]{0,400}[\\/](?<value>[\w-]{8,64})$/m }],
  kinds: [{ kind: 'sub-agent', at: { header: 'x-interaction-type' }, value: /^conversation-sub-?agent/ }],
  sections: [
    { layer: 'environment', ...tag('environment_context'), where: ['system'] },
    { layer: 'environment', ...tag('session_context'), where: ['system'] },
    { layer: 'environment', ...tag('current_datetime'), where: ['user'] },
    { layer: 'instructions', ...tag('custom_instruction'), where: ['system'] },
  ],
}

/** Continue's CLI, versions 1. */
const continueCli: Recogniser = {
  client: 'continue',
  signs: [
    { prompt: 'You are an agent in the Continue CLI' },
    { header: 'user-agent', pattern: /^continue(?:\/(?<version>[\w.-]{1,40}))?/i },
  ],
  kinds: [{ kind: 'compaction', last: ['provide a concise summary of our conversation so far'] }],
  sections: [
    { layer: 'environment', begin: '<context name="gitStatus">', end: '</context>', where: ['system'] },
    { layer: 'instructions', begin: '<context name="userRules">', end: '</context>', where: ['system'] },
  ],
}

/** Cline, versions 3: in the terminal and in editors. */
const cline: Recogniser = {
  client: 'cline',
  signs: [{ header: 'user-agent', pattern: /^Cline\/(?<version>[\w.-]{1,40})/i }, { prompt: 'You are Cline,' }],
  kinds: [{ kind: 'compaction', last: ['Summarize this session for continuation'] }],
  sections: [
    { layer: 'instructions', begin: '# Rules\n', where: ['system'] },
    { layer: 'environment', ...tag('environment_details'), where: ['user'] },
  ],
}

/** Agents of the terminal that other vendors make. What they have in common with others is in the general table. */
export const cliAgents: readonly Recogniser[] = [geminiCli, qwenCode, copilotCli, continueCli, cline]
