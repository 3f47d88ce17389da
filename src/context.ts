export { type Earlier, type UndoneTurn } from './context/conversation-input.ts'
export { assemble, type Assembly, type AssemblyInput } from './context/assemble.ts'
export { type Attachment, attachmentText, type FileFrame } from './context/attachment.ts'
export { available, type Budget } from './context/budget.ts'
export { citedNumbers, type CitationPiece, joinedTexts } from './context/citation/piece.ts'
export { citationGuidance, citationReminder } from './context/citation-guidance.ts'
export { withLinks } from './context/citation-links.ts'
export { citationNumbers, type CitationNumbers, knownNumbers, withDocuments } from './context/citation-numbers.ts'
export { citationReader, type CitationReader, citedText } from './context/citation-reader.ts'
export {
  compare,
  type Compared,
  compareText,
  type Comparison,
  type DifferenceCause,
  type FirstDifference,
} from './context/compare.ts'
export {
  documentsText,
  type PromptDocument,
  type PromptMetadata,
  type PromptResult,
  resultsText,
} from './context/document-text.ts'
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
  layoutOf,
  layouts,
  type PlacementBySize,
} from './context/layout.ts'
export type { Cut, Manifest, ManifestEntry, Outcome, Reason, ReasonCode, Slot } from './context/manifest.ts'
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
