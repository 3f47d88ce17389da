// The numbers by which an answer cites documents: their words for the model, and the markers in the answer.
export { type AnswerCitation, answerCitations, citationReader } from './citation/reader.ts'
export { citationLayers } from './citation/citation-layers.ts'
export { documentsText, type FoundDocument, type FoundDocuments, resultsText } from './citation/document-text.ts'
export { type CitationPiece, citedNumbers, isWebAddress } from './citation/piece.ts'
export { type TurnCitations, turnCitations } from './citation/turn-citations.ts'
