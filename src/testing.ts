/** Everything to test an extension: scripted models and services, a fixed clock, and case suites for each contract. */
export { capabilityCases, type CapabilityCasesOptions } from './testing/capability-cases.ts'
export { capabilityHost } from './testing/capability-host.ts'
export { channelCases } from './testing/channel-cases.ts'
export type { ChannelPlace, ChannelTest, OpenChannel, SayOptions } from './testing/channel-cases-world.ts'
export { type FixedClock, type FixedClockOptions, fixedClock } from './testing/fixed-clock.ts'
export { memoryDriver } from './testing/memory-store.ts'
export { providerCases } from './testing/provider-cases.ts'
export type { ProviderPlace } from './testing/provider-world.ts'
export {
  type AskedCall,
  type ModelOnScript,
  scriptedModel,
  type ScriptedModelOptions,
  scriptedModels,
  type ScriptedReply,
} from './testing/scripted-model.ts'
export { type ScriptedProvider, type ScriptedProviderOptions, scriptedProvider } from './testing/scripted-provider.ts'
export type {
  ScriptedAnswer,
  ScriptedModel,
  ScriptedRequest,
  ScriptedUsage,
} from './testing/scripted-provider-answer.ts'
export { scriptedTelegram, type ScriptedTelegramOptions } from './testing/scripted-telegram.ts'
export type {
  ScriptedCall,
  ScriptedChatType,
  ScriptedFailure,
  ScriptedFile,
  ScriptedMessage,
  ScriptedSaying,
  ScriptedTelegram,
} from './testing/scripted-telegram-contract.ts'
export { searchEngineCases } from './testing/search-engine-cases.ts'
export { type SearchPlace, topicEmbedder, type TopicEmbedder } from './testing/search-engine-place.ts'
export { storeCases, type StoreSuite, storeSuites } from './testing/session-store-cases.ts'
export type { StorePlace } from './testing/session-store-entries.ts'
