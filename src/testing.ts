export { type ScriptedProvider, type ScriptedProviderOptions, scriptedProvider } from './testing/scripted-provider.ts'
export type { ScriptedAnswer, ScriptedRequest, ScriptedUsage } from './testing/scripted-provider-answer.ts'
export type { ScriptedModel } from './testing/scripted-provider-models.ts'
