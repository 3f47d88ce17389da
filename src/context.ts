export { type Attachment, attachmentText } from './context/attachment.ts'
export { available, type Budget } from './context/budget.ts'
export { imageTokens, UNKNOWN_IMAGE_TOKENS } from './context/image-tokens.ts'
export type { Layer, Origin, Placement, Priority, Rendition } from './context/layer.ts'
export type { Cut, Manifest, ManifestEntry, Outcome, Reason, ReasonCode, Slot } from './context/manifest.ts'
export {
  type AssistantMessage,
  type Message,
  outputText,
  type ToolCallPart,
  type ToolMessage,
  type ToolOutput,
  type ToolResultPart,
  type UserMessage,
  toolCalls,
  toolResults,
} from './context/message.ts'
export {
  chars,
  charsPerFour,
  declared,
  messageTokens,
  type TokenCounter,
  tokenx,
  toolTokens,
} from './context/token-counter.ts'
export type { ToolDefinition } from './context/tool-definition.ts'
export { type Conversation, type Turn, type TurnMessage, turnsOf } from './context/turn.ts'
