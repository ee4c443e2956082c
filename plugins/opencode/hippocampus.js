// Long-term memory for opencode: a plug-in by its plug-in interface of versions 0.x and 1.x.
// Copy it to ~/.config/opencode/plugins/ (or .opencode/plugins/ of a project).
//
// It tells `hippocampus hook` what happens, as Claude Code would, and puts what that prints before the
// user's words. Whatever goes wrong, opencode goes on without.
import { spawn } from "node:child_process"

const PATIENCE_MS = 10_000

function ask(payload) {
  return new Promise((resolve) => {
    let said = ""
    const child = spawn("hippocampus", ["hook", "--agent", "opencode", "--budget", "1200"], {
      stdio: ["pipe", "pipe", "ignore"],
    })
    const patience = setTimeout(() => child.kill(), PATIENCE_MS)
    patience.unref()
    child.on("error", () => resolve(""))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (chunk) => (said += chunk))
    child.on("close", (code) => {
      clearTimeout(patience)
      resolve(code === 0 ? said.trim() : "")
    })
    child.stdin.end(JSON.stringify(payload))
  })
}

const textOf = (parts) =>
  (parts ?? [])
    .filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
    .map((part) => part.text)
    .join("\n")

export const Hippocampus = async ({ client, directory, worktree }) => {
  const begun = new Map() // what each session begins with, until its first prompt takes it along
  const replies = new Map() // the last words of each session, and the message they are of
  const agents = new Map() // the messages that are of the agent, and the session of each
  const event = (name, sessionID, more) =>
    ask({ hook_event_name: name, session_id: sessionID, cwd: directory ?? worktree, ...more })

  const isOfAnother = async (sessionID) => {
    try {
      const found = await client.session.get({ path: { id: sessionID } })
      return Boolean((found.data ?? found).parentID)
    } catch {
      return false
    }
  }

  return {
    event: async ({ event: told }) => {
      const about = told.properties ?? {}
      if (told.type === "session.created" && !about.info?.parentID) {
        begun.set(about.info.id, event("SessionStart", about.info.id, { source: "startup" }))
      } else if (told.type === "session.compacted") {
        begun.set(about.sessionID, event("SessionStart", about.sessionID, { source: "compact" }))
      } else if (told.type === "message.updated" && about.info?.role === "assistant") {
        agents.set(about.info.id, about.info.sessionID)
      } else if (told.type === "message.part.updated" && about.part?.type === "text") {
        const { sessionID, messageID, text } = about.part
        replies.set(sessionID, { messageID, text })
      } else if (told.type === "session.idle") {
        const last = replies.get(about.sessionID)
        replies.delete(about.sessionID)
        const isReply = last && agents.has(last.messageID)
        for (const [message, session] of agents) {
          if ((session ?? about.sessionID) === about.sessionID) agents.delete(message)
        }
        if (isReply && !(await isOfAnother(about.sessionID))) {
          await event("Stop", about.sessionID, { last_assistant_message: last.text })
        }
      } else if (told.type === "session.deleted") {
        begun.delete(about.info?.id)
        await event("SessionEnd", about.info?.id, { reason: "other" })
      }
    },
    "chat.message": async (input, output) => {
      const prompt = textOf(output.parts)
      if (!prompt || (await isOfAnother(input.sessionID))) return
      const first = await (begun.get(input.sessionID) ?? "")
      begun.delete(input.sessionID)
      const found = await event("UserPromptSubmit", input.sessionID, { prompt })
      const text = [first, found].filter(Boolean).join("\n\n")
      const own = output.parts.find((part) => part.type === "text")
      if (text && own) own.text = `${text}\n\n${own.text}`
    },
    "tool.execute.after": async (input, output) => {
      const code = output.metadata?.exit
      if (input.tool === "bash" && typeof code === "number" && code !== 0) {
        await event("PostToolUseFailure", input.sessionID, { tool_name: "Bash", error: output.output })
      }
    },
    "experimental.session.compacting": async (input) => {
      await event("PreCompact", input.sessionID, { trigger: "auto" })
    },
  }
}
