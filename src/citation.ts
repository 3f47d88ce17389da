export { type AnswerCitation, answerCitations } from './citation/answer-citation.ts'
export { citationLayers } from './citation/citation-layers.ts'
export {
  documentsText,
  type PromptDocument,
  type PromptMetadata,
  type PromptResult,
  resultsText,
} from './citation/document-text.ts'
export type { CitedSource, FoundDocument, FoundDocuments } from './citation/found-document.ts'
export { citationGuidance, citationReminder } from './citation/guidance.ts'
export { isWebAddress, withLinks } from './citation/links.ts'
export { citationNumbers, type CitationNumbers, knownNumbers, withDocuments } from './citation/numbers.ts'
export { citedNumbers, type CitationPiece, joinedTexts } from './citation/piece.ts'
export { citationReader, type CitationReader, citedText } from './citation/reader.ts'
export { type CitedStream, type TurnCitations, turnCitations } from './citation/turn-citations.ts'
