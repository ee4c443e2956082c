"""
Heavy work on many banks, spread by Ray over processes and machines (``docs/cluster.md``).

    from hippocampus.cluster import RayCluster

    with RayCluster("postgresql:///memories", ray="auto") as cluster:
        print(cluster.sleep())
"""

from __future__ import annotations

from hippocampus.cluster.cluster import RayCluster
from hippocampus.cluster.report import ClusterReport, Failure

__all__ = ["ClusterReport", "Failure", "RayCluster"]
