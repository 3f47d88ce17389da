/** A name as a file system has it that tells no case and no composed characters apart: names that are the same there are equal. */
export function foldCase(name: string): string {
  return name.normalize('NFC').toLowerCase()
}
