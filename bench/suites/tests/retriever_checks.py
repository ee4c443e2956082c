"""LangChain's standard tests of retrievers, of ours."""

from langchain_tests.integration_tests import RetrieversIntegrationTests

from hippocampus import Memory
from hippocampus.integrations.langchain import HippocampusRetriever


class TestHippocampusRetriever(RetrieversIntegrationTests):
    """The tests are inherited."""

    @property
    def retriever_constructor(self):
        return HippocampusRetriever

    @property
    def retriever_constructor_params(self):
        bank = Memory(":memory:", embedder="none").bank("ada")
        for number in range(8):
            bank.remember(f"Cat number {number} sleeps on the sofa.")
        return {"bank": bank, "k": 5}

    @property
    def retriever_query_example(self):
        return "Where does the cat sleep?"
