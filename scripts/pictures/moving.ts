import { decode } from 'fast-png'
import * as gifenc from 'gifenc'
import type { Page } from 'playwright-core'

/** Screenshots of a page, one after another, as one moving picture (GIF, endless). */
export interface Film {
  /** Shows the page as it is now for so many ms. A page that has not changed makes the picture before longer. */
  shot(ms: number): Promise<void>
  gif(): Uint8Array
}

interface Frame {
  readonly pixels: Uint32Array
  readonly width: number
  readonly height: number
  delay: number
}

export function film(page: Page): Film {
  const frames: Frame[] = []
  return {
    async shot(ms) {
      const { data, width, height, channels } = decode(await page.screenshot())
      const pixels = pixelsOf(data as Uint8Array, channels)
      const last = frames.at(-1)
      if (last?.pixels.every((pixel, at) => pixel === pixels[at])) last.delay += ms
      else frames.push({ pixels, width, height, delay: ms })
    },
    gif: () => encoded(frames),
  }
}

/** One number for each pixel: red, green, blue and an opaque alpha, in the order of the bytes. */
function pixelsOf(data: Uint8Array, channels: number): Uint32Array {
  const bytes = new Uint8Array((data.length / channels) * 4).fill(255)
  for (let from = 0, to = 0; from < data.length; from += channels, to += 4) bytes.set(data.subarray(from, from + 3), to)
  return new Uint32Array(bytes.buffer)
}

const COLORS = 255

/** What is the same as in the frame before is transparent: it compresses to almost nothing. */
function encoded(frames: readonly Frame[]): Uint8Array {
  const { GIFEncoder, quantize, applyPalette } = gifenc.default
  const encoder = GIFEncoder()
  for (const [number, { pixels, width, height, delay }] of frames.entries()) {
    const before = frames[number - 1]?.pixels
    const changed = before ? pixels.filter((pixel, at) => pixel !== before[at]) : pixels
    const palette = quantize(new Uint8Array(changed.slice().buffer), COLORS)
    const index = applyPalette(new Uint8Array(pixels.buffer), palette)
    if (before) for (const [at, pixel] of pixels.entries()) if (pixel === before[at]) index[at] = COLORS
    const whole = [...palette, ...Array.from({ length: COLORS + 1 - palette.length }, () => [0, 0, 0])]
    encoder.writeFrame(index, width, height, {
      palette: whole,
      delay,
      transparent: before !== undefined,
      transparentIndex: COLORS,
      dispose: 1,
    })
  }
  encoder.finish()
  return encoder.bytes()
}
