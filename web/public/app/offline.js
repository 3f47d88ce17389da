// Any answer, also that nobody is signed in, says that the gateway is there again.
const tryAgain = () => fetch('/api/status', { cache: 'no-store' }).then(() => location.reload())

document.querySelector('button').addEventListener('click', () => void tryAgain().catch(() => {}))
setInterval(() => void tryAgain().catch(() => {}), 3_000)
