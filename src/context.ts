export { type Earlier, type UndoneTurn } from './context/conversation-input.ts'
export { assemble, type Assembly } from './context/assemble.ts'
export type { AssemblyInput } from './context/assembly-input.ts'
export { type Attachment, attachmentText, type FileFrame } from './context/attachment.ts'
export { available, type Budget } from './context/budget.ts'
export {
  compare,
  type Compared,
  compareText,
  type Comparison,
  type DifferenceCause,
  type FirstDifference,
} from './context/compare.ts'
export { argvText, exactLine, exactLines, lookAlikes } from './context/exact-text.ts'
export { type ImageSupport, markImages, type MarkerCode, storedImage } from './context/image-marker.ts'
export { imageSize, type ImageSize } from './context/image-size.ts'
export { imageType } from './context/image-type.ts'
export { imageTokens, UNKNOWN_IMAGE_TOKENS } from './context/image-tokens.ts'
export type { Layer, Origin, Placement, Priority, Rendition } from './context/layer.ts'
export {
  type CutRule,
  type Layout,
  type LayoutChanges,
  type LayoutChoice,
  type LayoutDefinition,
  type PlacementBySize,
} from './context/layout.ts'
export { layout, layoutOf, layouts, usualLayout } from './context/layouts.ts'
export type { Cut, Manifest, ManifestEntry, Outcome, Slot } from './context/manifest.ts'
export type { Reason, ReasonCode } from './context/reason.ts'
export {
  type AnyMessage,
  type AssistantMessage,
  type Message,
  messageText,
  outputText,
  type ToolCallPart,
  type ToolMessage,
  type ToolOutput,
  type ToolResultPart,
  type UserMessage,
  toolCalls,
  toolResults,
} from './context/message.ts'
export { indented, previousConversation, type SpokenLine } from './context/previous-conversation.ts'
export { outline } from './context/outline.ts'
export { ContextOverflowError } from './context/overflow-error.ts'
export type { Piece, Request } from './context/request.ts'
export {
  chars,
  charsPerFour,
  declared,
  messageTokens,
  smallCounters,
  type TokenCounter,
  tokenx,
  toolTokens,
} from './context/token-counter.ts'
export { startsWith } from './context/starts-with.ts'
export type { OfferedWith, ToolDefinition } from './context/tool-definition.ts'
export { leastTokens } from './context/tool-output.ts'
export { verbatim, type VerbatimAssembly, type VerbatimInput } from './context/verbatim.ts'
export { type Conversation, type Turn, type TurnMessage, turnsOf } from './context/turn.ts'
export { wholeCharacter } from './context/whole-character.ts'
