import asyncio

from agents.job_queue import JobQueue


async def test_workers_get_jobs_in_order_and_none_at_the_end() -> None:
    queue: JobQueue[int] = JobQueue(2)
    got: list[int | None] = []

    async def work() -> None:
        while (job := await queue.get()) is not None:
            got.append(job)
            queue.done()

    worker = asyncio.create_task(work())
    for job in range(5):
        assert await queue.put(job)
    queue.close()
    await asyncio.wait_for(worker, 60)
    assert got == [0, 1, 2, 3, 4]


async def test_putting_waits_for_room() -> None:
    queue: JobQueue[int] = JobQueue(1)
    await queue.put(1)
    waiting = asyncio.create_task(queue.put(2))
    await asyncio.sleep(0)
    assert not waiting.done()
    assert await queue.get() == 1
    assert await asyncio.wait_for(waiting, 60)


async def test_a_due_retry_goes_before_what_is_new() -> None:
    queue: JobQueue[str] = JobQueue(4)
    await queue.put("failed")
    await queue.put("new")
    assert await queue.get() == "failed"
    queue.put_back("failed", 0.0)
    await asyncio.sleep(0.005)
    assert await queue.get() == "failed"
    assert await queue.get() == "new"


async def test_a_closed_queue_waits_for_its_retries() -> None:
    queue: JobQueue[str] = JobQueue(4)
    await queue.put("failed")
    queue.close()
    assert await queue.get() == "failed"
    other = asyncio.create_task(queue.get())
    queue.put_back("failed", 0.01)
    assert await asyncio.wait_for(other, 60) == "failed"
    queue.done()
    assert await asyncio.wait_for(queue.get(), 60) is None


async def test_stopping_gives_back_what_nobody_took_and_ends_all_waits() -> None:
    queue: JobQueue[str] = JobQueue(1)
    await queue.put("taken")
    assert await queue.get() == "taken"
    queue.put_back("taken", 60.0)
    putting = asyncio.create_task(queue.put("new"))
    getting = asyncio.create_task(queue.get())
    await asyncio.sleep(0)
    assert queue.stop() == ["taken"]
    assert await asyncio.wait_for(putting, 60) is False
    assert await asyncio.wait_for(getting, 60) is None
