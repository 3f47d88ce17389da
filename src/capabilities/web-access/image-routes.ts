import { z } from 'zod'
import { type Route, route } from '../../capability.ts'
import { imageType } from '../../context.ts'
import { securityHeaders } from '../../server.ts'
import { FetchFault } from './checked-url.ts'
import type { GuardedFetch } from './guarded-fetch.ts'

/** An image of the public web for a person who has asked to see it. The browser itself asks no other host. */
export function imageRoutes(fetchImage: GuardedFetch): readonly Route[] {
  return [
    route('POST /api/web-image', {
      scope: 'talk',
      tag: 'page',
      summary: 'Fetches an image of the public web, as the tool `open_url` fetches a page',
      body: z.strictObject({ url: z.string().min(1).max(2000).describe('The whole address of the image.') }),
      answers: { 200: { description: 'The image', media: 'image/png' } },
      handle: async ({ body: { url }, request }) => {
        const fetched = await fetchImage(url, request.signal)
        if (fetched.type === 'failed')
          throw new FetchFault(fetched.code, `The image was not fetched: ${fetched.reason}.`)
        // By its bytes, whatever its server called it.
        const mediaType = imageType(fetched.bytes)
        if (mediaType === undefined) throw new FetchFault('unsupported', 'This is no PNG, JPEG, GIF or WebP image.')
        return new Response(Buffer.from(fetched.bytes), { headers: { ...securityHeaders, 'content-type': mediaType } })
      },
    }),
  ]
}
