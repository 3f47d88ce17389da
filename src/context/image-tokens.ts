const LONG_SIDE = 2048
const PATCH = 16
const OVERHEAD = 32

/** The cost of an image whose size is not known: that of 768 × 768 pixels. */
export const UNKNOWN_IMAGE_TOKENS = (768 / PATCH) ** 2 + OVERHEAD

/**
 * Tokens of an image of `width` × `height` pixels: scaled down to at most 2,048 on the long side, one token per
 * 16 × 16 patch begun, and 32 (BEHAVIOURS §3.4).
 */
export function imageTokens(width: number, height: number): number {
  if (!(width > 0 && height > 0)) return UNKNOWN_IMAGE_TOKENS
  const scale = Math.min(1, LONG_SIDE / Math.max(width, height))
  return Math.ceil((width * scale) / PATCH) * Math.ceil((height * scale) / PATCH) + OVERHEAD
}
