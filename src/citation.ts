export {
  type AnswerCitation,
  answerCitations,
  citationReader,
  type CitationReader,
  citedText,
} from './citation/reader.ts'
export { citationGuidance, citationLayers, citationReminder } from './citation/citation-layers.ts'
export {
  type CitedSource,
  documentsText,
  type FoundDocument,
  type FoundDocuments,
  type PromptDocument,
  type PromptMetadata,
  type PromptResult,
  resultsText,
} from './citation/document-text.ts'
export { isWebAddress, withLinks } from './citation/links.ts'
export { citationNumbers, type CitationNumbers, knownNumbers, withDocuments } from './citation/numbers.ts'
export { type CitationPiece, citedNumbers, joinedTexts } from './citation/piece.ts'
export { type CitedStream, type TurnCitations, turnCitations } from './citation/turn-citations.ts'
