// Extracts the text of files, in processes of their own and within limits.
export type { Document, Unreadable } from './document/document.ts'
export { encodedBytes, type TextFile, decodedFile } from './document/character-set.ts'
export { createDocumentReader, type DocumentReader } from './document/document-reader.ts'
