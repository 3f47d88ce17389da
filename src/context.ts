// Puts a request to a model together, pure and within its budget, and accounts for every piece of it in a manifest.
export type { EarlierTurns, UndoneTurn } from './context/conversation-input.ts'
export { type AssemblyInput, available, type Budget } from './context/assembly-input.ts'
export {
  composedNote,
  type ConversationNote,
  noteId,
  noteInstruction,
  noteMark,
  noteMessage,
  type NotesInput,
  rewordedNote,
  type NoteWords,
  type WordsFault,
  wordsFault,
} from './context/conversation-note.ts'
export { mainInput, noteIndex } from './context/note-index.ts'
export { isHalfFull, type NotePlan, noteWordsWithin, planNote } from './context/note-plan.ts'
export { type Attachment, type FileFrame } from './context/attachment.ts'
export { compare, compareText, type Comparison } from './context/compare.ts'
export { differenceCause } from './context/difference-cause.ts'
export { argvText, exactLine, exactLines, lookAlikes } from './context/exact-text.ts'
export { freezeHead, type AnnouncedHead, type PinnedHead, sentHead } from './context/frozen-head.ts'
export type { Head } from './context/head-change.ts'
export { framed, type FrameKind } from './context/frame.ts'
export { imageResult, isImageNote, markResult, unframedResults, withoutTemplates } from './context/marked-result.ts'
export {
  changedParts,
  type ImageSupport,
  markImages,
  storedImage,
  storedImagePart,
  storedImages,
} from './context/image-marker.ts'
export {
  addNeutralized,
  type NeutralizedSigns,
  neutralizedWords,
  neutralLine,
  neutralText,
} from './context/neutral-text.ts'
export { changedLayer, entryName, entrySentence, listedName, noteNumber, reasonSentence } from './context/explain.ts'
export { entrySentences, equalRanges, type ListedRow, listedRows } from './context/listed-rows.ts'
export type { CacheMark, CacheRules } from './context/cache-rules.ts'
export {
  callCost,
  callCostParts,
  type Price,
  priceAt,
  priceOfModel,
  priceTier,
  type ReportedTokens,
} from './context/call-cost.ts'
export { type Forecast, forecast, type ForecastRange, forecastRange } from './context/forecast.ts'
export { changedScenario, forgetsCut, type ScenarioChanges } from './context/changed-scenario.ts'
export {
  calibratedManifest,
  calibratedTokens,
  type CallFigures,
  callFigures,
  inNanos,
  type MadeCall,
  windowShare,
  divideExactly,
} from './context/call-figures.ts'
export { audioSeconds, audioTokens, audioType } from './context/audio.ts'
export { imageSize, imageTokens, imageType, startsWith } from './context/image.ts'
export { lintAnnounced, type LintCall, lintHead } from './context/lint/lint-call.ts'
export {
  calibratedFinding,
  type LintCost,
  lintCost,
  type LintFinding,
  lintRates,
  type LintRates,
} from './context/lint/lint-finding.ts'
export { inOrder, lint, LEAST_UNUSED } from './context/lint/lint.ts'
export { type VolatileSpot, volatileSpots } from './context/lint/volatile-text.ts'
export { renditionTokens } from './context/placed-layer.ts'
export { assemble, type Assembly, movingMessages } from './context/assemble.ts'
export type { PlacementPrice } from './context/placement.ts'
export {
  PLACED_CALLS,
  type PlacedCall,
  placedCall,
  placementPrices,
  type PlacementRules,
} from './context/placement-price.ts'
export { choosePlacements, keepPlacements } from './context/choose-placement.ts'
export { placementSentence, placementSentences } from './context/placement-words.ts'
export {
  foreignTextNames,
  foreignTexts,
  foreignTextSentence,
  distinctTexts,
  messageTexts,
  type ResultOrigins,
  textKey,
} from './context/foreign-text.ts'
export {
  type ForeignText,
  type Layer,
  type Origin,
  type Placement,
  placements,
  type Priority,
  type Rendition,
} from './context/layer.ts'
export {
  type Layout,
  layout,
  type LayoutChanges,
  type LayoutChoice,
  type LayoutDefinition,
  layoutOf,
  layouts,
  usualLayout,
} from './context/layouts.ts'
export type { Cut } from './context/cut.ts'
export { cutJson, cutText } from './context/cut-text.ts'
export { againMoney, type CutRecord, cutSentence, cutSums } from './context/cut-record.ts'
export { type CutGain, type CutWorth, expectedCalls } from './context/cut-worth.ts'
export { type Manifest, type ManifestEntry, slotTitles } from './context/manifest.ts'
export type { Reason } from './context/reason.ts'
export {
  type AnyMessage,
  type AssistantMessage,
  type Message,
  messageReasoning,
  isTextThinking,
  messageText,
  outputText,
  type ToolCallPart,
  toolCalls,
  type ToolMessage,
  type ToolOutput,
  type ToolResultPart,
  toolResults,
  type UserMessage,
  TEXT_THINKING,
} from './context/message.ts'
export { indentLines, previousConversation } from './context/previous-conversation.ts'
export { outline } from './context/outline.ts'
export { ContextOverflowError } from './context/overflow-error.ts'
export { phrase } from './context/phrase.ts'
export { formPhrase, placeSentence } from './context/place.ts'
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
export type { OfferedWith, ToolDefinition } from './context/tool-definition.ts'
export { leastTokens } from './context/tool-output.ts'
export { verbatim, type VerbatimAssembly, type VerbatimInput } from './context/verbatim.ts'
export {
  countedText,
  exactMoneyText,
  numberText,
  shortNumberText,
  entryTurn,
  turnNumber,
} from './context/entry-words.ts'
export { type Turn, type TurnMessage, turnsOf } from './context/turn.ts'
export { buildManifest, includedSection, omittedSection } from './context/section.ts'
export type { Scenario } from './context/scenario-schema.ts'
export { scenarioInput, toScenario } from './context/scenario-input.ts'
export { wholeCharacter } from './context/cut-text.ts'
