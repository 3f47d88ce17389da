// The worker of the installed page. It keeps one small page for when the gateway is not reached, and nothing of a conversation.
const KEPT = ['/app/offline.html', '/app/offline.css', '/app/offline.js', '/favicon.svg']

addEventListener('install', (event) => {
  event.waitUntil(caches.open('offline').then((cache) => cache.addAll(KEPT)))
  void self.skipWaiting()
})

addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

addEventListener('fetch', (event) => {
  const { request } = event
  const kept = request.mode === 'navigate' ? KEPT[0] : KEPT.find((path) => path === new URL(request.url).pathname)
  if (kept !== undefined) event.respondWith(fetch(request).catch(() => caches.match(kept)))
})

addEventListener('notificationclick', (event) => {
  event.notification.close()
  const path = event.notification.data
  const open = async () => {
    const [page] = await self.clients.matchAll({ type: 'window' })
    if (page === undefined) return self.clients.openWindow(path)
    await page.navigate(path)
    return page.focus()
  }
  event.waitUntil(open())
})
