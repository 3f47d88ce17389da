import assert from 'node:assert/strict'
import test from 'node:test'
import { imageFiles, webpForms } from './files/image-file.ts'
import { read } from './read.ts'

for (const [mediaType, imageOf] of Object.entries(imageFiles)) {
  test(`${mediaType}: the size is read from the bytes`, async () => {
    assert.deepEqual(await read(imageOf(1234, 567), 'a'), { kind: 'image', width: 1234, height: 567, mediaType })
  })

  test(`${mediaType}: a truncated image has no size, or is not an image`, async () => {
    const whole = imageOf(1234, 567)
    for (let length = 8; length < whole.length; length += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after another reads better when it fails
      const document = await read(whole.subarray(0, length), 'a')
      const known = document.kind === 'image' && 'width' in document ? [document.width, document.height] : [1234, 567]
      assert.ok(known[0] === 1234 || mediaType === 'image/avif', `${length} bytes say ${known.join(' × ')}`)
    }
  })

  test(`${mediaType}: no size is better than one of nothing`, async () => {
    assert.deepEqual(await read(imageOf(0, 0), 'a'), {
      kind: 'image',
      // Its smaller layer has one.
      ...(mediaType === 'image/avif' && { width: 1, height: 1 }),
      mediaType,
    })
  })
}

test('all forms of WebP have a size', async () => {
  for (const formOf of Object.values(webpForms)) {
    // oxlint-disable-next-line no-await-in-loop -- one after another reads better when it fails
    const document = await read(formOf(1234, 567), 'a')
    assert.deepEqual(document, { kind: 'image', width: 1234, height: 567, mediaType: 'image/webp' })
  }
})
