/**
 * Every operation by its name; `import * as operations` takes it. The `nancy` command loads an operation when it uses it: loading all takes
 * longer than starting Node. Each name is an export of its own, so a program's bundle holds only the operations that it names.
 */

export const listAgents = async () => (await import('./listAgents.ts')).listAgents;
export const setUp = async () => (await import('./setUp.ts')).setUp;
export const update = async () => (await import('./update.ts')).update;
export const orchestrate = async () => (await import('./orchestrate.ts')).orchestrate;
export const cleanUp = async () => (await import('./cleanUp.ts')).cleanUp;
export const doctor = async () => (await import('./doctor.ts')).doctor;
export const status = async () => (await import('./status.ts')).status;
export const budget = async () => (await import('./budget.ts')).budget;
export const setBudget = async () => (await import('./setBudget.ts')).setBudget;
export const tokens = async () => (await import('./tokens.ts')).tokens;
export const sessions = async () => (await import('./sessions.ts')).sessions;
export const sessionHistory = async () => (await import('./sessionHistory.ts')).sessionHistory;
export const traffic = async () => (await import('./traffic.ts')).traffic;
export const followTraffic = async () => (await import('./followTraffic.ts')).followTraffic;
export const picture = async () => (await import('./picture.ts')).picture;
export const wait = async () => (await import('./wait.ts')).wait;
export const inbox = async () => (await import('./inbox.ts')).inbox;
export const readMail = async () => (await import('./readMail.ts')).readMail;
export const questions = async () => (await import('./questions.ts')).questions;
export const answerQuestion = async () => (await import('./answerQuestion.ts')).answerQuestion;
export const send = async () => (await import('./send.ts')).send;
export const editMessage = async () => (await import('./editMessage.ts')).editMessage;
export const reorder = async () => (await import('./reorder.ts')).reorder;
export const archive = async () => (await import('./archive.ts')).archive;
export const withdraw = async () => (await import('./withdraw.ts')).withdraw;
export const stop = async () => (await import('./stop.ts')).stop;
export const archiveTask = async () => (await import('./archiveTask.ts')).archiveTask;
export const renameTask = async () => (await import('./renameTask.ts')).renameTask;
export const restoreTask = async () => (await import('./restoreTask.ts')).restoreTask;
export const deleteTasks = async () => (await import('./deleteTasks.ts')).deleteTasks;
export const deleteFoundTasks = async () => (await import('./deleteFoundTasks.ts')).deleteFoundTasks;
export const delegate = async () => (await import('./delegate.ts')).delegate;
export const listDelegates = async () => (await import('./listDelegates.ts')).listDelegates;
export const delegateResult = async () => (await import('./delegateResult.ts')).delegateResult;
export const waitForDelegates = async () => (await import('./waitForDelegates.ts')).waitForDelegates;
export const lookAfterDelegates = async () => (await import('./lookAfterDelegates.ts')).lookAfterDelegates;
export const repeatDelegate = async () => (await import('./repeatDelegate.ts')).repeatDelegate;
export const stopDelegate = async () => (await import('./stopDelegate.ts')).stopDelegate;
export const resumeDelegates = async () => (await import('./resumeDelegates.ts')).resumeDelegates;
export const deleteDelegate = async () => (await import('./deleteDelegate.ts')).deleteDelegate;
export const deleteDelegates = async () => (await import('./deleteDelegates.ts')).deleteDelegates;
export const run = async () => (await import('./run.ts')).run;
export const verifyWorktree = async () => (await import('./verifyWorktree.ts')).verifyWorktree;
export const worktreeChanges = async () => (await import('./worktreeChanges.ts')).worktreeChanges;
export const taskChanges = async () => (await import('./taskChanges.ts')).taskChanges;
export const fileAtStart = async () => (await import('./fileAtStart.ts')).fileAtStart;
export const fileAtBase = async () => (await import('./fileAtBase.ts')).fileAtBase;
export const mergePreview = async () => (await import('./mergePreview.ts')).mergePreview;
export const mergeWorktree = async () => (await import('./mergeWorktree.ts')).mergeWorktree;
export const undoMerge = async () => (await import('./undoMerge.ts')).undoMerge;
export const settleMerges = async () => (await import('./settleMerges.ts')).settleMerges;
export const worktreeLoss = async () => (await import('./worktreeLoss.ts')).worktreeLoss;
export const removeWorktree = async () => (await import('./removeWorktree.ts')).removeWorktree;
