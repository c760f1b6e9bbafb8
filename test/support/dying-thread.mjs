/** A process whose threads die at SIGUSR2. Temporal's workers have no other threads. */
import threads from 'node:worker_threads'

const started = []
threads.Worker = class extends threads.Worker {
  constructor(...given) {
    super(...given)
    started.push(this)
  }
}
process.on('SIGUSR2', () => {
  for (const thread of started) thread.terminate()
})
