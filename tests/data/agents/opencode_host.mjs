// Plays a session of opencode to the plug-in beside it, and prints what each prompt became.
import { Hippocampus } from "./hippocampus.mjs"
const told = { info: { id: "s1" } }
const client = { session: { get: async () => ({ data: {} }) } }
const hooks = await Hippocampus({ client, directory: process.env.CWD, worktree: "/" })
const say = async (text) => {
  const output = { message: {}, parts: [{ type: "text", text }, { type: "file" }] }
  await hooks["chat.message"]({ sessionID: "s1" }, output)
  console.log(JSON.stringify(output.parts[0].text))
}
const event = (type, properties) => hooks.event({ event: { type, properties } })
await event("session.created", told)
await say("Why is it red?")
await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s1" }, { output: "error: E1", metadata: { exit: 1 } })
await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s1" }, { output: "fine", metadata: { exit: 0 } })
await event("message.part.updated", { part: { type: "text", sessionID: "s1", messageID: "u", text: "Why?" } })
await event("session.idle", { sessionID: "s1" })
await event("message.updated", { info: { id: "m", sessionID: "s1", role: "assistant" } })
await event("session.idle", { sessionID: "s2" })
await event("message.part.updated", { part: { type: "text", sessionID: "s1", messageID: "m", text: "It was" } })
await event("message.part.updated", { part: { type: "text", sessionID: "s1", messageID: "m", text: "It was E1." } })
await event("session.idle", { sessionID: "s1" })
await event("something.new", undefined)
await hooks["experimental.session.compacting"]({ sessionID: "s1" }, { context: [] })
await event("session.compacted", { sessionID: "s1" })
await say("And now?")
await event("session.deleted", told)
