/**
 * Tools to test an extension: case suites for capabilities, channels and providers, scripted models and services that
 * answer without a network, and a fixed clock.
 */
export { capabilityCases, type CapabilityCasesOptions } from './testing/capability-cases.ts'
export { capabilityHost } from './testing/capability-cases.ts'
export { channelCases } from './testing/channel-cases.ts'
export type { ChannelFixture, OpenChannel, SendOptions } from './testing/channel-cases-world.ts'
export { type FixedClock, fixedClock } from './testing/fixed-clock.ts'
export { providerCases } from './testing/provider-cases.ts'
export type { ProviderCasesOptions } from './testing/provider-cases.ts'
export { scriptedModel, type ScriptedModel, scriptedModels, type ScriptedReply } from './testing/scripted-model.ts'
export { type ScriptedProvider, type ScriptedProviderOptions, scriptedProvider } from './testing/scripted-provider.ts'
export type { ScriptedAnswer, ScriptedRequest } from './testing/scripted-provider-answer.ts'
export type { ScriptedServer } from './testing/scripted-server.ts'
export { scriptedTelegram } from './testing/scripted-telegram.ts'
export type { ScriptedFailure, ScriptedMessage, ScriptedTelegram } from './testing/scripted-telegram-world.ts'
export type { TestFunction } from './testing/test-function.ts'
