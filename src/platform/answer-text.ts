/** The text of an answer, whatever encoding it came in. Rejects, and reads no further, where it has more than `most` bytes. */
export async function answerText(response: Response, most: number): Promise<string> {
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ''
  // The response stays in use until its end: Node ends the body of one that was collected.
  for await (const part of response.body ?? []) {
    bytes += part.byteLength
    if (bytes > most) throw new Error(`the answer has more than ${most} bytes`)
    text += decoder.decode(part, { stream: true })
  }
  return text + decoder.decode()
}
